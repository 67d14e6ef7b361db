import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findRunId, runArgument } from '../../find-run.js';
import { readRunWait, RUN_WAIT_DETAILS, runFollowOption, runWaitOption } from '../../waiting-run.js';
import { showAsked } from './show-asked.js';

export const command = defineCommand({
  arguments: [runArgument],
  options: [runWaitOption, runFollowOption],
  details: `Creates a new run with the same input and settings, linked to the old one. ${RUN_WAIT_DETAILS}`,
  examples: [
    { command: 'runs retry 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111', explanation: 'the run that failed, again' },
    {
      command: 'runs retry 0192f0c3-6a10-7b55-a0aa-4c2f1d1be111 --wait',
      explanation: 'and its output, when it ends',
    },
  ],
  read: (input) => ({ run: input.argument('run'), wait: readRunWait(input, input.flag('follow')) }),
  async run({ run, wait }, context) {
    const path = { run_id: await findRunId(context, run) };
    const asked = await unwrap(context.service().POST('/runs/{run_id}/retry', { params: { path } }));
    await showAsked(context, asked, wait);
  },
});
