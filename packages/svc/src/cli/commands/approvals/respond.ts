import { defineCommand } from '../../command.js';
import { givenText } from '../../config-text.js';
import { UsageError } from '../../failures.js';
import { approvalArgument } from '../../find-approval.js';
import { decide, readUndecided, reasonOption } from './decision.js';

export const command = defineCommand({
  arguments: [
    approvalArgument,
    { name: 'response', description: 'the answer: text, @file for a file, @- for standard input' },
  ],
  options: [reasonOption],
  details: 'The agent gets the answer, and does not run the action.',
  examples: [
    {
      command: 'approvals respond 0192f0c7-3c1e "Ask the supplier for a new invoice first"',
      explanation: 'neither yes nor no',
    },
    { command: 'approvals respond 0192f0c7-3c1e @answer.txt', explanation: 'the text of a file' },
  ],
  read: (input) => ({
    approval: input.argument('approval'),
    given: input.argument('response'),
    reason: input.text('reason'),
  }),
  async run({ approval: text, given, reason }, context) {
    const response = (await givenText(given, context)).trim();
    if (response === '') throw new UsageError('The answer must not be empty');
    const approval = await readUndecided(context, text, 'respond');
    await decide(context, approval, { decision: 'respond', reason, response });
  },
});
