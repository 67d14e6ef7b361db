import { defineCommand } from '../../command.js';
import { findRunId, runArgument } from '../../find-run.js';
import { readRun } from '../../read-resource.js';
import { showLogs } from '../../show-logs.js';
import { logOptions, readLogOptions } from '../../telemetry-queries.js';

export const command = defineCommand({
  arguments: [runArgument],
  options: logOptions,
  details: 'The same as svc agents logs, for one run.',
  examples: [
    { command: 'runs logs 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111', explanation: 'the last 50 lines' },
    {
      command: 'runs logs 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111 --min-level error --all',
      explanation: 'all that went wrong',
    },
  ],
  read: (input) => ({ run: input.argument('run'), logs: readLogOptions(input) }),
  async run({ run, logs }, context) {
    const { id: runId, agent_id: agentId } = await readRun(context, await findRunId(context, run));
    await showLogs(context, { agentId, runId }, logs);
  },
});
