import { losesDigits } from '@agent-control-plane/client/internal/kept-numbers';
import { frozenJson } from '@agent-control-plane/client/internal/runtime/canonical-json';
import { defineCommand } from '../../command.js';
import { readText } from '../../config-text.js';
import type { Context } from '../../context.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { approvalArgument } from '../../find-approval.js';
import { lineDiff } from '../../output/line-diff.js';
import {
  approvingOptions,
  confirmAction,
  decide,
  type EditedArgs,
  noteQuestion,
  readUndecided,
} from './decision.js';

export const command = defineCommand({
  arguments: [approvalArgument],
  options: [
    { flags: '--args <file>', description: 'the changed arguments, as JSON in a file; - for standard input' },
    ...approvingOptions,
  ],
  details:
    'Approves the action with changed arguments, if the agent accepts that. Shows the action and the ' +
    'difference.',
  examples: [
    {
      command: 'approvals show 0192f0c7-3c1e --jq .action.args > args.json',
      explanation: 'the arguments, to change them',
    },
    {
      command: 'approvals edit 0192f0c7-3c1e --args args.json',
      explanation: 'shows the difference, and asks',
    },
    {
      command: "approvals show 0192f0c7-3c1e --jq '.action.args.euros = 20 | .action.args'",
      explanation: 'piped into: svc approvals edit 0192f0c7-3c1e --args - --yes',
    },
  ],
  read(input) {
    const file = input.text('args');
    if (file === undefined) throw new UsageError('--args says which arguments count instead');
    return {
      approval: input.argument('approval'),
      file,
      reason: input.text('reason'),
      confirmation: { isConfirmed: input.flag('yes'), actionName: input.text('confirm') },
    };
  },
  async run({ approval: text, file, reason, confirmation }, context) {
    const edited_args = await readArgs(file, context);
    const approval = await readUndecided(context, text, 'edit');
    noteQuestion(context, approval);
    noteDifference(context, approval.action.args, edited_args);
    await confirmAction(context, approval, confirmation);
    await decide(context, approval, { decision: 'edit', reason, edited_args });
  },
});

/** @throws UsageError */
async function readArgs(file: string, context: Context): Promise<EditedArgs> {
  const text = file === '-' ? await context.terminal.readInput() : await readText(file);
  let args: EditedArgs | null;
  try {
    args = JSON.parse(text) as EditedArgs | null;
  } catch {
    throw new UsageError('The arguments must be JSON: check quotes and commas');
  }
  if (losesDigits(text))
    throw new UsageError('A number in the arguments has more digits than JSON keeps: write it as a text');
  if (args === null) throw new UsageError('The arguments can not be changed to null: that stands for none');
  return args;
}

/** @throws CommandFailedError if there is none */
function noteDifference({ terminal }: Context, asked: unknown, edited: unknown): void {
  if (frozenJson(asked).sha256 === frozenJson(edited).sha256)
    throw new CommandFailedError(
      'Nothing was done: the arguments have not changed, so use "svc approvals approve"',
    );
  const [before, after] = [asked, edited].map((args) => `${JSON.stringify(args, null, 2)}\n`);
  const lines = lineDiff(before!, after!, terminal.noteColors);
  for (const line of ['--- asked', '+++ edited', ...lines]) terminal.note(line);
}
