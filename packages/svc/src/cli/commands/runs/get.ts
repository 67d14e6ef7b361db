import { defineCommand } from '../../command.js';
import { findRunId, runArgument } from '../../find-run.js';
import { readRun } from '../../read-resource.js';
import { readRunWait, RUN_WAIT_DETAILS, runWaitOption, waitForEnd } from '../../waiting-run.js';
import { printRun } from './columns.js';
import { showEnd } from './show-asked.js';

export const command = defineCommand({
  arguments: [runArgument],
  options: [runWaitOption],
  details: RUN_WAIT_DETAILS,
  examples: [
    {
      command: 'runs get 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111',
      explanation: 'its outcome, or why it is waiting',
    },
    {
      command: 'runs get 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111 --wait',
      explanation: 'its output, when it ends',
    },
  ],
  read: (input) => ({ run: input.argument('run'), wait: readRunWait(input) }),
  async run({ run, wait }, context) {
    const present = await readRun(context, await findRunId(context, run));
    if (wait === undefined) return printRun(context, present);
    await showEnd(context, await waitForEnd(context, present, wait));
  },
});
