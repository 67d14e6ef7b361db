import { defineCommand } from '../../command.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  details: 'For operators who are logged in. Each instance logs at its LOG_LEVEL again.',
  examples: [{ command: 'log-level reset', explanation: 'back to LOG_LEVEL' }],
  read: () => ({}),
  async run(_, context) {
    await context.service().DELETE('/log-level');
    printDone(context, { reset: true }, 'Each instance logs at its LOG_LEVEL');
  },
});
