import { defineCommand } from '../../command.js';
import { findPauseId, pauseArgument } from '../../find-pause.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [pauseArgument],
  details: 'Resumes the agents of this pause, unless another pause holds them.',
  examples: [
    { command: 'pauses list --open', explanation: 'what is paused now' },
    { command: 'pauses end 0192f0c5-2b1e-7a10-9c11-5f1c1c7be0aa', explanation: 'its agents resume' },
  ],
  read: (input) => ({ pause: input.argument('pause') }),
  async run({ pause }, context) {
    const pauseId = await findPauseId(context, pause);
    await context.service().DELETE('/pauses/{pause_id}', { params: { path: { pause_id: pauseId } } });
    printDone(context, { ended: pauseId }, `Ended the pause ${pauseId}`);
  },
});
