import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { showLogs } from '../../show-logs.js';
import { logOptions, readLogOptions } from '../../telemetry-queries.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: logOptions,
  details:
    'Shows the newest lines, oldest first. --follow keeps showing new lines, each once, also after a lost ' +
    'connection. With --output json it prints a list, newest first, or with --follow one record per line.',
  examples: [
    { command: 'agents logs invoice-reader', explanation: 'the last 50 lines' },
    { command: 'agents logs invoice-reader -n 10 --follow', explanation: 'the last ten, then new ones' },
    {
      command: 'agents logs invoice-reader --level error --since 1h --all',
      explanation: 'every error of the last hour',
    },
  ],
  read: (input) => ({ agent: input.argument('agent'), logs: readLogOptions(input) }),
  async run({ agent, logs }, context) {
    await showLogs(context, { agentId: await findAgentId(context, agent) }, logs);
  },
});
