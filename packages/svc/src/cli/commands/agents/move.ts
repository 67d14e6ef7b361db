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
    'For maintainers of both projects. Its deployments, keys and history move with it, and its processes ' +
    'keep running. Webhooks do not move: later events go to those of the other project.',
  examples: [
    { command: 'agents move invoice-reader payments', explanation: 'the members of payments can use it now' },
  ],
  read: (input) => ({ agent: input.argument('agent'), project: input.argument('project') }),
  async run({ agent, project }, context) {
    const path = { agent_id: await findAgentId(context, agent) };
    const body = { project_id: await findProjectId(context, project) };
    const moved = await unwrap(context.service().PATCH('/agents/{agent_id}', { params: { path }, body }));
    printRecord(context, moved, agentFields(moved, context));
  },
});
