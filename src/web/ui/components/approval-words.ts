import type { Approval, ApprovalState, Risk } from '../api/approvals.js';
import type { Tone } from './status-badge.js';

export const RISKS: readonly Risk[] = ['high', 'medium', 'low'];

/** Waiting items first. */
export const STATES: readonly ApprovalState[] = [
  'pending',
  'approved',
  'edited',
  'rejected',
  'responded',
  'expired',
  'withdrawn',
];

/** How a badge shows it: the status whose icon it has, its text, and its tone. */
export interface Badge {
  readonly status: string;
  readonly label: string;
  readonly tone: Tone;
}

export const STATE_BADGES: Readonly<Record<ApprovalState, Badge>> = {
  pending: { status: 'pending', label: 'waiting', tone: 'warn' },
  approved: { status: 'succeeded', label: 'approved', tone: 'good' },
  edited: { status: 'succeeded', label: 'approved with changes', tone: 'good' },
  rejected: { status: 'cancelled', label: 'rejected', tone: 'bad' },
  responded: { status: 'succeeded', label: 'answered', tone: 'busy' },
  expired: { status: 'expired', label: 'expired', tone: 'quiet' },
  withdrawn: { status: 'cancelled', label: 'withdrawn', tone: 'quiet' },
};

export const RISK_BADGES: Readonly<Record<Risk, Badge>> = {
  low: { status: 'ok', label: 'low risk', tone: 'quiet' },
  medium: { status: 'warning', label: 'medium risk', tone: 'warn' },
  high: { status: 'failed', label: 'high risk', tone: 'bad' },
};

/** `Rejected`, which a person has; an undecided one says so, because it was not rejected. */
export function outcomeText(state: ApprovalState): string {
  if (state === 'expired') return 'Nobody decided in time';
  if (state === 'withdrawn') return 'Withdrawn: the agent took it back, or its run has ended';
  if (state === 'pending') return 'Nobody has decided';
  const word = STATE_BADGES[state].label;
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

export interface Approver {
  /** `user:<id>` of the viewer. */
  readonly self: string;
  /** True: the project asks two people about such a risk. */
  readonly needsTwo: boolean;
}

/** Why the viewer may not approve, or not with changes; null: they may. The service decides. */
export function approverRefusal(
  { first_approved_by, asked_by_caller }: Pick<Approval, 'first_approved_by' | 'asked_by_caller'>,
  { self, needsTwo }: Approver,
  withChanges: boolean,
): string | null {
  if (!needsTwo) return null;
  if (asked_by_caller === true) return 'You requested this run, so two other people must approve it';
  if (first_approved_by === self && !withChanges)
    return 'You have approved it. Another person must approve it, too';
  return null;
}
