import { defineCommand } from '../../command.js';
import { approvalArgument } from '../../find-approval.js';
import { approvingOptions, confirmAction, decide, noteQuestion, readUndecided } from './decision.js';

export const command = defineCommand({
  arguments: [approvalArgument],
  options: approvingOptions,
  details:
    'Shows the action, and approves exactly the arguments shown: if they have changed by then, the ' +
    'service refuses. Where a project requires two people, the first approval is recorded, and a second ' +
    'is needed.',
  examples: [
    { command: 'approvals approve 0192f0c7-3c1e', explanation: 'shows it, and asks first' },
    {
      command: 'approvals approve 0192f0c7-3c1e --yes --reason "the invoice is right"',
      explanation: 'does not ask',
    },
    {
      command: 'approvals approve 0192f0c7-3c1e --confirm send_payment',
      explanation: 'an action of high risk, in a script',
    },
  ],
  read: (input) => ({
    approval: input.argument('approval'),
    reason: input.text('reason'),
    confirmation: { isConfirmed: input.flag('yes'), actionName: input.text('confirm') },
  }),
  async run({ approval: text, reason, confirmation }, context) {
    const approval = await readUndecided(context, text, 'approve');
    noteQuestion(context, approval);
    await confirmAction(context, approval, confirmation);
    await decide(context, approval, { decision: 'approve', reason });
  },
});
