import type { Approval } from '@agent-control-plane/client';
import type { Colors } from 'picocolors/types.js';
import type { Context } from '../../context.js';
import { actorText } from '../../output/actor-name.js';
import { paintStatus } from '../../output/paint.js';
import { printableJson, printableLine } from '../../output/printable.js';
import { type Field, printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

export function approvalColumns(context: Context): Column<Approval>[] {
  const { colors } = context.terminal;
  const now = context.now();
  const paint = (text: string) => paintStatus(text, colors);
  return [
    { title: 'APPROVAL', value: ({ id }) => id, fit: 'id' },
    { title: 'AGENT', value: ({ agent_name }) => agent_name, fit: 'name' },
    { title: 'ACTION', value: ({ action }) => action.name, fit: 'name' },
    { title: 'RISK', value: ({ risk }) => risk, paint, fit: 'status' },
    { title: 'STATE', value: ({ state }) => state, paint, fit: 'status' },
    { title: 'ASKED', value: ({ requested_at }) => relativeTime(requested_at, now) },
    { title: 'EXPIRES', value: (approval) => expiry(approval, now) },
    { title: 'TITLE', value: ({ title }) => title, fit: 'detail' },
  ];
}

/** One approval as one line, for a list that continues. */
export function approvalLine(approval: Approval, { terminal: { colors } }: Context): string {
  const { state, decided_at, requested_at, id, agent_name, risk, action, title } = approval;
  return [
    colors.dim(printableLine(decided_at ?? requested_at)),
    paintStatus(state.padEnd(LONGEST_STATE), colors),
    id,
    colors.cyan(printableLine(agent_name)),
    paintStatus(risk, colors),
    printableLine(action.name),
    printableLine(title),
    ...(isHalfApproved(approval) ? ['(approved by the first of two people)'] : []),
  ].join('  ');
}

const LONGEST_STATE = 'withdrawn'.length;

/** One approval, in the form that every command prints. */
export function printApproval(context: Context, approval: Approval): void {
  const { colors } = context.terminal;
  const now = context.now();
  printRecord(context, approval, [
    ['Approval', approval.id],
    ...questionFields(context, approval, colors),
    ['Hash', approval.args_sha256],
    ['Agent takes', approval.allowed_decisions.join(', ')],
    ['State', approval.state, (text) => paintStatus(text, colors)],
    ['First approval', isHalfApproved(approval) ? firstApprover(approval) : null],
    [isHalfApproved(approval) ? 'Proposed' : 'Edited to', optionalJson(approval.edited_args)],
    ['Response', approval.response],
    ['Reason', approval.reason],
    ['Decided by', decider(approval)],
    ['Decided', relativeTime(approval.decided_at, now)],
    ['Fetched', relativeTime(approval.fetched_at, now)],
    ['Key', approval.approval_key],
  ]);
}

/** The fields of a question: its agent, its action and the exact arguments. */
export function questionFields(context: Context, approval: Approval, colors: Colors): Field[] {
  const now = context.now();
  return [
    ['Title', approval.title],
    ['Agent', `${approval.agent_name} (${approval.agent_id})`],
    ['Run', approval.run_id],
    ['Description', approval.description],
    ['Risk', approval.risk, (text) => paintStatus(text, colors)],
    ['Action', approval.action.name],
    ['Arguments', printableJson(approval.action.args, 2)],
    ['Asked', relativeTime(approval.requested_at, now)],
    ['Expires', expiry(approval, now)],
  ];
}

/** Returns true if the first of two people has approved, and nobody has decided. */
/** The first of two people who approve it. */
export const firstApprover = ({ first_approved_by: id, ...of }: Approval): string | null =>
  nameOr(id, of.first_approved_by_name, of.first_approved_by_email);

export const decider = ({ decided_by: id, ...of }: Approval): string | null =>
  nameOr(id, of.decided_by_name, of.decided_by_email);

function nameOr(
  actor: string | null,
  name: string | null = null,
  email: string | null = null,
): string | null {
  return actor && actorText({ actor, actor_name: name, actor_email: email });
}

export function isHalfApproved({ state, first_approved_by }: Approval): boolean {
  return state === 'pending' && first_approved_by !== null;
}

function optionalJson(value: unknown): string | null {
  return value === null ? null : printableJson(value, 2);
}

function expiry({ state, expires_at }: Approval, now: Date): string | null {
  return state === 'pending' ? relativeTime(expires_at, now) : null;
}
