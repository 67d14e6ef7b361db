import { defineCommand } from '../../command.js';
import { approvalArgument } from '../../find-approval.js';
import { decide, readUndecided, reasonOption } from './decision.js';

export const command = defineCommand({
  arguments: [approvalArgument],
  options: [reasonOption],
  examples: [
    {
      command: 'approvals reject 0192f0c7-3c1e --reason "it was paid last week"',
      explanation: 'the agent gets the reason',
    },
  ],
  read: (input) => ({ approval: input.argument('approval'), reason: input.text('reason') }),
  async run({ approval, reason }, context) {
    await decide(context, await readUndecided(context, approval, 'reject'), { decision: 'reject', reason });
  },
});
