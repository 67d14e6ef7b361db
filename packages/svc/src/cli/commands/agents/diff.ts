import { hasMaskedValues } from '@agent-control-plane/client/internal/masked-config';
import { defineCommand } from '../../command.js';
import { CommandFailedError } from '../../failures.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { integer } from '../../option-values.js';
import { configDiff } from '../../output/config-diff.js';
import { printJson } from '../../output/json.js';
import { readAgent, readConfig } from '../../read-resource.js';
import { revealOption } from '../../reveal-option.js';

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
  options: [revealOption],
  examples: [
    { command: 'agents diff ticker', explanation: 'what the newest config version changed' },
    { command: 'agents diff ticker 2 5', explanation: 'from version 2 to version 5' },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    from: input.optionalArgument<number>('from'),
    to: input.optionalArgument<number>('to'),
    reveals: input.flag('reveal'),
  }),
  async run({ agent, from, to, reveals }, context) {
    const agentId = await findAgentId(context, agent);
    const newest = to ?? (await readAgent(context, agentId)).config_version;
    const earlier = from ?? newest - 1;
    if (earlier < 1)
      throw new CommandFailedError('The agent has one config version: there is nothing to compare');
    const [before, after] = await Promise.all([
      readConfig(context, agentId, earlier, reveals),
      readConfig(context, agentId, newest, reveals),
    ]);
    if (context.output === 'json') return printJson(context, [before, after]);
    const { terminal } = context;
    const versions = { before: before.config, after: after.config, isAsShown: true };
    const lines = configDiff(versions, terminal.colors);
    if (lines.length === 0) terminal.note(`Versions ${earlier} and ${newest} show no difference`);
    else
      for (const line of [`--- version ${earlier}`, `+++ version ${newest}`, ...lines]) terminal.print(line);
    if (hasMaskedValues(before.config) && hasMaskedValues(after.config))
      terminal.note(
        reveals
          ? 'Write-only values can not be compared'
          : 'Masked values were not compared: --reveal compares all but write-only ones',
      );
  },
});
