import {
  BUDGET_STATES,
  type BudgetAction,
  type BudgetPeriod,
  type BudgetReading,
  type BudgetState,
} from './budget.types.js';

/** Facts about a budget, or a run under it, before its judgement. */
export interface Judged {
  readonly limitValue: number;
  readonly warnAt: number;
  readonly state: BudgetState;
  readonly periodStartedAt: string | null;
}

export interface Judgement {
  readonly state: BudgetState;
  /** The event to send, once for a period; null: none. */
  readonly event: Exclude<BudgetState, 'ok'> | null;
}

/** The state for an amount spent. Pure. */
export function stateOf(
  spent: number,
  { limitValue, warnAt }: Pick<Judged, 'limitValue' | 'warnAt'>,
): BudgetState {
  if (spent >= limitValue) return 'exceeded';
  return spent >= limitValue * warnAt ? 'warning' : 'ok';
}

/**
 * Judges a budget. A new period begins without sent events. Pure.
 *
 * @param reading the amount spent, and its period
 */
export function judge(budget: Judged, reading: BudgetReading): Judgement {
  const state = stateOf(reading.spent, budget);
  const told = budget.periodStartedAt === reading.periodStartedAt ? budget.state : 'ok';
  return {
    state,
    event: rankOf(state) > rankOf(told) && state !== 'ok' ? state : null,
  };
}

/** Returns true if a judgement by this reading changes nothing but the amount. Pure. */
export function keepsState(
  budget: Judged & { readonly resetsAt: string | null },
  { spent, periodStartedAt, resetsAt }: BudgetReading,
): boolean {
  const isSame = budget.periodStartedAt === periodStartedAt && budget.resetsAt === resetsAt;
  return isSame && stateOf(spent, budget) === budget.state;
}

/** Returns true while nothing of the budget's agents is to be started. Pure. */
export function isHolding(budget: {
  readonly state: BudgetState;
  readonly onExceeded: BudgetAction;
  readonly period: BudgetPeriod;
}): boolean {
  return budget.state === 'exceeded' && budget.onExceeded !== 'notify' && budget.period !== 'run';
}

function rankOf(state: BudgetState): number {
  return BUDGET_STATES.indexOf(state);
}
