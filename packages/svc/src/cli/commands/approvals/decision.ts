import { type Approval, type ApprovalDecision, type components, unwrap } from '@agent-control-plane/client';
import { frozenJson } from '@agent-control-plane/client/internal/runtime/canonical-json';
import type { CommandOption } from '../../command-declaration.js';
import { confirm, yesOption } from '../../confirmation.js';
import type { Context } from '../../context.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { findApprovalId } from '../../find-approval.js';
import { filled } from '../../option-values.js';
import { printDone } from '../../output/done.js';
import { printableLine } from '../../output/printable.js';
import { recordLines } from '../../output/record.js';
import { readApproval } from '../../read-resource.js';
import { decider, firstApprover, isHalfApproved, questionFields } from './columns.js';

export const reasonOption: CommandOption = {
  flags: '--reason <text>',
  description: 'why, for the agent and the history',
  parse: filled,
};

/** Options of the commands that let an agent act. */
export const approvingOptions: readonly CommandOption[] = [
  reasonOption,
  yesOption,
  {
    flags: '--confirm <action>',
    description: "the action's name, in place of --yes for an action of high risk",
    parse: filled,
  },
];

/** How a person has confirmed on the command line. */
export interface Confirmation {
  readonly isConfirmed: boolean;
  /** `--confirm`. */
  readonly actionName: string | undefined;
}

/** The decision, without the hash of the arguments. */
type Verdict = Omit<components['schemas']['DecideApprovalRequest'], 'args_sha256'>;
export type EditedArgs = NonNullable<Verdict['edited_args']>;

const DONE: Readonly<Record<ApprovalDecision, string>> = {
  approve: 'Approved',
  edit: 'Approved with other arguments',
  reject: 'Rejected',
  respond: 'Answered',
};

/** The approval that is meant. @throws CommandFailedError if it is decided, or its agent does not take this decision */
export async function readUndecided(
  context: Context,
  text: string,
  decision: ApprovalDecision,
): Promise<Approval> {
  const approval = await readApproval(context, await findApprovalId(context, text));
  const { id, state, allowed_decisions } = approval;
  const who = decider(approval);
  if (state !== 'pending')
    throw new CommandFailedError(
      `It is ${state} already${who === null ? '' : ` by ${printableLine(who)}`}: see "svc approvals show ${id}"`,
    );
  if (!allowed_decisions.includes(decision))
    throw new CommandFailedError(
      `Its agent does not take ${decision}: it takes ${allowed_decisions.join(', ')}`,
    );
  return approval;
}

/** Prints the question on standard error: standard output is for the result. */
export function noteQuestion(context: Context, approval: Approval): void {
  const { terminal } = context;
  const { noteColors } = terminal;
  for (const line of recordLines(questionFields(context, approval, noteColors), noteColors))
    terminal.note(line);
  if (isHalfApproved(approval) && approval.edited_args !== null)
    terminal.note(
      `${printableLine(firstApprover(approval)!)} has approved it with other arguments: "svc approvals show ` +
        `${approval.id}" shows them, and "svc approvals edit" agrees to them`,
    );
}

/**
 * Returns only after a person has agreed to let the agent act. High risk needs the name of the action, so that nobody agrees by habit.
 *
 * @throws UsageError if nobody can be asked; CommandFailedError if the answer is no, or the name is another one
 */
export async function confirmAction(
  context: Context,
  { action, risk, agent_name }: Approval,
  { isConfirmed, actionName }: Confirmation,
): Promise<void> {
  const isHigh = risk === 'high';
  if (actionName === undefined && !isHigh)
    return confirm(context, isConfirmed, () =>
      printableLine(`Let the agent "${agent_name}" do "${action.name}" with these arguments?`),
    );
  const typed = actionName ?? (await askName(context, action.name));
  if (typed.trim() !== action.name)
    throw new CommandFailedError(`Nothing was done: the action is "${action.name}", and not "${typed}"`);
}

async function askName(context: Context, name: string): Promise<string> {
  if (!context.terminal.isInteractive)
    throw new UsageError(
      'Its risk is high, and there is no terminal to ask on: give --confirm with the name of the action, in place of --yes',
    );
  return (await context.prompts()).text(
    printableLine(`Its risk is high. Type the name of the action, ${name}`),
  );
}

/** Decides about exactly the arguments that this approval shows. @throws ServiceError if they are others by now */
export async function decide(context: Context, approval: Approval, verdict: Verdict): Promise<void> {
  const body = { ...verdict, args_sha256: frozenJson(approval.action.args).sha256 };
  const path = { approval_id: approval.id };
  const decided = await unwrap(
    context.service().POST('/approvals/{approval_id}/decide', { params: { path }, body }),
  );
  const what = isHalfApproved(decided) ? 'Approved by the first of two people' : DONE[verdict.decision];
  printDone(context, decided, `${what}: ${decided.title} (${decided.id})`);
  if (isHalfApproved(decided))
    context.terminal.note('Another person must also approve it before the agent continues');
}
