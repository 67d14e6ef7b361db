import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { findProjectId, projectArgument } from '../../find-project.js';
import { printRecord } from '../../output/record.js';
import { agentFields } from './columns.js';

export const command = defineCommand({
  arguments: [
    agentArgument,
    { ...projectArgument, description: `the other project: ${projectArgument.description}` },
  ],
  details:
    'For maintainers of both projects. The agent goes with its deployments, keys and history; what runs goes on. Webhooks\n' +
    'stay where they are: what happens from then on goes to those of the other project.',
  examples: [
    { command: 'agents move invoice-reader payments', explanation: 'the members of payments have it now' },
  ],
  read: (input) => ({ agent: input.argument('agent'), project: input.argument('project') }),
  async run({ agent, project }, context) {
    const path = { agent_id: await findAgentId(context, agent) };
    const body = { project_id: await findProjectId(context, project) };
    const moved = await unwrap(context.service().PATCH('/agents/{agent_id}', { params: { path }, body }));
    printRecord(context, moved, agentFields(moved, context));
  },
});
