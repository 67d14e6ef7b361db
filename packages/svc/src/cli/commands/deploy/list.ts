import { defineCommand } from '../../command.js';
import { findAgentId } from '../../find-agent.js';
import { filled, type Moment, moment, timeOf } from '../../option-values.js';
import { printList } from '../../output/table.js';
import { projectColumn } from '../../project-column.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';
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
    { flags: '--active', description: 'only those that are deploying, running or ready' },
    { flags: '-q, --text <text>', description: "only those with this in the agent's name", parse: filled },
    {
      flags: '--failed-since <time>',
      description: 'only those that failed since then: 2026-01-31T09:30:00Z, or 10m, 2h, 1d ago',
      parse: moment,
    },
    { flags: '--waiting', description: 'only those with a command that waits for longer than a minute' },
    ...periodOptions,
    ...pageOptions,
  ],
  examples: [
    { command: 'deploy list', explanation: 'the newest 50 deployments' },
    {
      command: 'deploy list --agent-id invoice-reader --status ready',
      explanation: 'what runs of one agent',
    },
    { command: 'deploy list --failed-since 1d', explanation: 'what failed in the last day' },
  ],
  read: (input) => ({
    page: readPageOptions(input),
    agent: input.text('agent-id'),
    status: input.value<DeploymentStatus>('status'),
    active: input.flag('active') || undefined,
    text: input.text('text'),
    waiting: input.flag('waiting') || undefined,
    failedSince: input.value<Moment>('failed-since'),
    period: readPeriod(input),
  }),
  async run({ page, agent, text: q, failedSince, period, ...filter }, context) {
    const service = context.service();
    const times = {
      ...periodQuery(period, context),
      failed_since: timeOf(failedSince, context.now()),
      project_id: await context.projectId(),
    };
    const agentId = agent === undefined ? undefined : await findAgentId(context, agent);
    const list = await readPages(page, PAGE.resources, (query) =>
      service.GET('/deployments', {
        params: { query: { ...query, ...filter, ...times, q, agent_id: agentId } },
      }),
    );
    printList(context, {
      ...list,
      columns: [...deploymentColumns(context), ...(await projectColumn(context, list.items))],
      ifEmpty: 'No deployments: make one with "svc agents deploy"',
    });
  },
});
