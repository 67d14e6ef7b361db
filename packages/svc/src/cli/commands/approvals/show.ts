import { defineCommand } from '../../command.js';
import { approvalArgument, findApprovalId } from '../../find-approval.js';
import { readApproval } from '../../read-resource.js';
import { printApproval } from './columns.js';

export const command = defineCommand({
  arguments: [approvalArgument],
  details:
    'The arguments are shown exactly. Characters that would move the cursor or reverse the text are ' +
    'written as escapes, such as \\u001b.',
  examples: [
    {
      command: 'approvals show 0192f0c7-3c1e',
      explanation: 'the exact arguments of what the agent wants to do',
    },
    { command: 'approvals show 0192f0c7-3c1e --jq .action.args', explanation: 'only the arguments' },
  ],
  read: (input) => ({ approval: input.argument('approval') }),
  async run({ approval }, context) {
    printApproval(context, await readApproval(context, await findApprovalId(context, approval)));
  },
});
