export const BUDGET_PERIODS = ['run', 'hour', 'day', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The measures that a budget can limit. `minutes` are those of runs. */
export const BUDGET_LIMITS = ['usd', 'tokens', 'llm_calls', 'tool_calls', 'minutes'] as const;
export type BudgetLimit = (typeof BUDGET_LIMITS)[number];

export const BUDGET_ACTIONS = ['notify', 'pause', 'stop'] as const;
export type BudgetAction = (typeof BUDGET_ACTIONS)[number];

/** From the lowest to the highest. */
export const BUDGET_STATES = ['ok', 'warning', 'exceeded'] as const;
export type BudgetState = (typeof BUDGET_STATES)[number];

/** The properties of a budget that a person gives. */
export interface BudgetTerms {
  readonly name: string;
  readonly timezone: string;
  readonly limitOf: BudgetLimit;
  /** Millionths of a dollar, seconds of runs, or a number. */
  readonly limitValue: number;
  /** Share of the limit at which it warns. */
  readonly warnAt: number;
  readonly onExceeded: BudgetAction;
}

/** The source of spending. */
export interface SpentScope {
  readonly projectIds: readonly string[];
  readonly agentIds: readonly string[];
  readonly runIds: readonly string[];
}

/**
 * The amount spent under a budget in its period, by the database's clock; of one for runs, the most that a run under
 * way has spent.
 */
export interface BudgetReading {
  readonly spent: number;
  /** Null: the budget is for runs. */
  readonly periodStartedAt: string | null;
  readonly resetsAt: string | null;
}
