import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { CommandFailedError } from '../../failures.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { integer } from '../../option-values.js';
import { configDiff } from '../../output/config-diff.js';
import { printJson } from '../../output/json.js';
import { secretsOption } from '../../secrets-option.js';
import { readAgent } from '../../read-resource.js';

export const command = defineCommand({
  arguments: [
    agentArgument,
    {
      name: 'from',
      description: 'a config version (default: the one before)',
      isOptional: true,
      parse: integer(1),
    },
    {
      name: 'to',
      description: 'a config version (default: the newest)',
      isOptional: true,
      parse: integer(1),
    },
  ],
  options: [secretsOption],
  examples: [
    { command: 'agents diff ticker', explanation: 'what the newest config version has changed' },
    { command: 'agents diff ticker 2 5', explanation: 'from version 2 to version 5' },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    from: input.optionalArgument<number>('from'),
    to: input.optionalArgument<number>('to'),
    showsSecrets: input.flag('show-secrets'),
  }),
  async run({ agent, from, to, showsSecrets }, context) {
    const agentId = await findAgentId(context, agent);
    const newest = to ?? (await readAgent(context, agentId)).config_version;
    const earlier = from ?? newest - 1;
    if (earlier < 1)
      throw new CommandFailedError('The agent has one config version: there is nothing to compare');
    const [before, after] = await Promise.all([
      configOf(context, agentId, earlier),
      configOf(context, agentId, newest),
    ]);
    if (context.output === 'json') return printJson(context, [before, after]);
    const { terminal } = context;
    const versions = { before: before.config, after: after.config, showsSecrets };
    const lines = configDiff(versions, terminal.colors);
    if (lines.length === 0) return terminal.note(`Versions ${earlier} and ${newest} mean the same`);
    for (const line of [`--- version ${earlier}`, `+++ version ${newest}`, ...lines]) terminal.print(line);
  },
});

function configOf(context: Context, agentId: string, configVersion: number) {
  const path = { agent_id: agentId, config_version: configVersion };
  return unwrap(context.service().GET('/agents/{agent_id}/configs/{config_version}', { params: { path } }));
}
