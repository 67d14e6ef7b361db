import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { showLogs } from '../../show-logs.js';
import { logOptions, readLogOptions } from '../../telemetry-queries.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: logOptions,
  details:
    'Shows the newest lines, oldest first. --follow goes on with what comes: it connects again when the connection is\n' +
    'lost, and shows every line once. With --output json it is one record on each line then, else a list, newest first.',
  examples: [
    { command: 'agents logs invoice-reader', explanation: 'the last 50 lines' },
    { command: 'agents logs invoice-reader -n 10 --follow', explanation: 'the last ten, and what comes' },
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
