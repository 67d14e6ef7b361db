import { defineCommand } from '../../command.js';
import { confirm, yesOption } from '../../confirmation.js';
import { printDone } from '../../output/done.js';
import { keyArgument } from './columns.js';

export const command = defineCommand({
  arguments: [keyArgument],
  options: [yesOption],
  details: 'The key stops working everywhere within a second, for good. Its record stays in the list.',
  examples: [
    { command: 'api-keys revoke 0192f0c9-1b2c-7d3e-8f4a-5b6c7d8e9f01', explanation: 'asks first' },
    { command: 'api-keys revoke 0192f0c9-1b2c-7d3e-8f4a-5b6c7d8e9f01 --yes', explanation: 'does not ask' },
  ],
  read: (input) => ({ keyId: input.argument('key-id'), isConfirmed: input.flag('yes') }),
  async run({ keyId, isConfirmed }, context) {
    await confirm(context, isConfirmed, () => `Revoke the key ${keyId}? What uses it stops working.`);
    await context.service().DELETE('/api-keys/{key_id}', { params: { path: { key_id: keyId } } });
    printDone(context, { revoked: keyId }, `Revoked the key ${keyId}`);
  },
});
