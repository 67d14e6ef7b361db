import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findRunId, runArgument } from '../../find-run.js';
import { filled } from '../../option-values.js';
import { isOpenRun } from '../../output/run-state.js';
import { printRun } from './columns.js';

export const command = defineCommand({
  arguments: [runArgument],
  options: [{ flags: '--reason <text>', description: 'why, for its history', parse: filled }],
  details:
    'A queued run is cancelled at once. For a running one, the agent is told to end it; if it still ' +
    'succeeds, that counts.',
  examples: [
    { command: 'runs cancel 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111', explanation: 'cancel it' },
    {
      command: 'runs cancel 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111 --reason "asked by mistake"',
      explanation: 'the reason is shown with the run',
    },
  ],
  read: (input) => ({ run: input.argument('run'), reason: input.text('reason') }),
  async run({ run, reason }, context) {
    const path = { run_id: await findRunId(context, run) };
    const cancelled = await unwrap(
      context.service().POST('/runs/{run_id}/cancel', { params: { path }, body: { reason } }),
    );
    printRun(context, cancelled);
    if (isOpenRun(cancelled))
      context.terminal.note(
        `The agent is told to end it: "svc runs get ${cancelled.id} --wait" waits until it has`,
      );
  },
});
