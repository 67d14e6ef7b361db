import { defineCommand } from '../../command.js';
import { findAgentId } from '../../find-agent.js';
import { filled } from '../../option-values.js';
import { printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from './statuses.js';
import { deploymentColumns } from './columns.js';

export const command = defineCommand({
  options: [
    {
      flags: '--agent-id <agent>',
      description: 'only those of this agent (name or id)',
      completes: 'agent',
      parse: filled,
    },
    { flags: '--status <status>', description: 'only those with this status', choices: DEPLOYMENT_STATUSES },
    ...pageOptions,
  ],
  examples: [
    { command: 'deploy list', explanation: 'the newest 50 deployments' },
    {
      command: 'deploy list --agent-id invoice-reader --status ready',
      explanation: 'what runs of one agent',
    },
  ],
  read: (input) => ({
    page: readPageOptions(input),
    agent: input.text('agent-id'),
    status: input.value<DeploymentStatus>('status'),
  }),
  async run({ page, agent, status }, context) {
    const service = context.service();
    const agentId = agent === undefined ? undefined : await findAgentId(context, agent);
    const { items, hasMore } = await readPages(page, PAGE.resources, (query) =>
      service.GET('/deployments', { params: { query: { ...query, agent_id: agentId, status } } }),
    );
    printList(context, {
      rows: items,
      columns: deploymentColumns(context),
      ifEmpty: 'No deployments: make one with "svc agents deploy"',
      hasMore,
    });
  },
});
