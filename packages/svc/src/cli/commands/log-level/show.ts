import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { printLogLevel } from './record.js';

export const command = defineCommand({
  details: 'For operators who are logged in.',
  examples: [{ command: 'log-level show', explanation: 'the level now, and until when' }],
  read: () => ({}),
  async run(_, context) {
    printLogLevel(context, await unwrap(context.service().GET('/log-level')));
  },
});
