import type { StatusSource } from './deployment-lifecycle.js';

/**
 * The state machine of an approval, as data. Tests compare the CHECK constraint and the documented diagram with it. Only
 * `ApprovalStepsService` writes a state.
 */

export const APPROVAL_STATES = [
  'pending',
  'approved',
  'edited',
  'rejected',
  'responded',
  'expired',
  'withdrawn',
] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** The decisions that a person may take; an agent says which of these it understands. */
export const APPROVAL_DECISIONS = ['approve', 'edit', 'reject', 'respond'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

export interface ApprovalTransition {
  readonly from: readonly ApprovalState[];
  readonly to: ApprovalState;
  readonly by: readonly StatusSource[];
}

/** The first step out of `pending` counts; there is none out of any other state. */
export const APPROVAL_TRANSITIONS = {
  approve: { from: ['pending'], to: 'approved', by: ['user'] },
  /** Approved with other arguments. */
  edit: { from: ['pending'], to: 'edited', by: ['user'] },
  reject: { from: ['pending'], to: 'rejected', by: ['user'] },
  /** Answered in words. */
  respond: { from: ['pending'], to: 'responded', by: ['user'] },
  /** Nobody has decided in time, which is nobody's no. */
  expire: { from: ['pending'], to: 'expired', by: ['monitor'] },
  /** The agent does not ask any more; or its run or the agent has ended. */
  withdraw: { from: ['pending'], to: 'withdrawn', by: ['agent', 'monitor'] },
} as const satisfies Record<string, ApprovalTransition>;

export type ApprovalAction = keyof typeof APPROVAL_TRANSITIONS;

/** The state after an action; null: the action changes nothing. Pure. */
export function nextApprovalState(
  action: ApprovalAction,
  state: ApprovalState,
  by: StatusSource,
): ApprovalState | null {
  const transition: ApprovalTransition = APPROVAL_TRANSITIONS[action];
  return transition.by.includes(by) && transition.from.includes(state) ? transition.to : null;
}
