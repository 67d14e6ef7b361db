import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { printMaintenance } from './record.js';

export const command = defineCommand({
  examples: [{ command: 'maintenance show', explanation: 'why changes are refused, and until when' }],
  read: () => ({}),
  async run(_, context) {
    printMaintenance(context, await unwrap(context.service().GET('/maintenance')));
  },
});
