import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { printRecord } from '../../output/record.js';
import { printList } from '../../output/table.js';
import { deploymentColumns } from '../deploy/columns.js';
import { revealOption } from '../../reveal-option.js';
import { agentFields } from './columns.js';
import { readAgent, readQuotas } from '../../read-resource.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [revealOption],
  examples: [
    { command: 'agents status invoice-reader', explanation: 'the agent and its latest deployments' },
    {
      command: 'agents status 0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d --output json',
      explanation: 'everything the service knows about it',
    },
  ],
  read: (input) => ({ agent: input.argument('agent'), reveals: input.flag('reveal') }),
  async run({ agent: named, reveals }, context) {
    const agentId = await findAgentId(context, named);
    const agent = await readAgent(context, agentId, reveals);
    printRecord(context, agent, agentFields(agent, context));
    if (context.output === 'json') return;
    for (const { kind, scope, refused_since } of (await readQuotas(context, agentId)).quotas) {
      if (refused_since === null) continue;
      const what = `${kind.replaceAll('_', ' ')} of the ${scope}`;
      context.terminal.print(`Refused until midnight, UTC: ${what}, since ${refused_since}`);
    }
    if (agent.deployments.length > 0) context.terminal.print('');
    printList(context, {
      items: agent.deployments,
      columns: deploymentColumns(context).filter(({ title }) => title !== 'AGENT'),
      ifEmpty: 'Not deployed yet: "svc agents deploy" does it',
    });
  },
});
