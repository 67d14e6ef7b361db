import { defineCommand } from '../../command.js';
import { confirm, yesOption } from '../../confirmation.js';
import { findUserId } from '../../find-user.js';
import { filled } from '../../option-values.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [
    { name: 'user', description: 'their email address, id, or the beginning of their id', parse: filled },
  ],
  options: [yesOption],
  details:
    'For operators who are logged in. Everything that names the person is erased, also in the audit log. ' +
    'An account cannot be deleted while its personal project has agents, or while it is the last owner of ' +
    'a project.',
  examples: [
    { command: 'users delete grace@example.com', explanation: 'asks first' },
    { command: 'users delete grace@example.com --yes', explanation: 'does not ask' },
  ],
  read: (input) => ({ user: input.argument('user'), isConfirmed: input.flag('yes') }),
  async run({ user, isConfirmed }, context) {
    const user_id = await findUserId(context, user);
    await confirm(
      context,
      isConfirmed,
      () => `Delete the account ${user} (${user_id}), and erase what is known of its person?`,
    );
    await context.service().DELETE('/users/{user_id}', { params: { path: { user_id } } });
    printDone(context, { deleted: user_id }, `Deleted the account ${user_id}`);
  },
});
