import { defineCommand } from '../../command.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  details: 'For operators who are logged in.',
  examples: [{ command: 'maintenance end', explanation: 'people can change things again' }],
  read: () => ({}),
  async run(_, context) {
    await context.service().DELETE('/maintenance');
    printDone(context, { ended: true }, 'The maintenance is over');
  },
});
