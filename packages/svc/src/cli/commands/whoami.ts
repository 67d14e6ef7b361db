import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import { printRecord } from '../output/record.js';

export const command = defineCommand({
  examples: [
    { command: 'whoami', explanation: 'the account that commands run as' },
    { command: 'whoami --output json', explanation: 'the same, for a script' },
  ],
  read: () => ({}),
  async run(_options, context) {
    const user = await unwrap(context.service().GET('/auth/me'));
    printRecord(context, user, [
      ['Email', user.email],
      ['Name', user.name],
      ['Id', user.id],
      ['Operator', user.is_admin ? 'yes' : 'no'],
    ]);
  },
});
