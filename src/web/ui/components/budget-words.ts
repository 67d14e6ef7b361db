import type { Budget, BudgetTerms } from '../api/budgets.js';
import { numberText, roundCostText } from './amounts.js';

type Amount = Budget['limit'];
export type Measure = keyof NonNullable<BudgetTerms['limit']>;
export type Period = Budget['period'];
export type Action = Budget['on_exceeded'];

export const MEASURES: readonly { readonly value: Measure; readonly label: string }[] = [
  { value: 'usd', label: 'Dollars' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'llm_calls', label: 'LLM calls' },
  { value: 'tool_calls', label: 'Tool calls' },
  { value: 'minutes', label: 'Run minutes' },
];

export const PERIODS: readonly { readonly value: Period; readonly label: string; readonly words: string }[] =
  [
    { value: 'run', label: 'Each run', words: 'each run' },
    { value: 'hour', label: 'Hour', words: 'an hour' },
    { value: 'day', label: 'Day', words: 'a day' },
    { value: 'month', label: 'Month', words: 'a month' },
  ];

const UNITS: Readonly<Record<Exclude<Measure, 'usd'>, string>> = {
  tokens: 'tokens',
  llm_calls: 'LLM calls',
  tool_calls: 'tool calls',
  minutes: 'minutes',
};

/** The measure of an amount and its value. Pure. */
export function measured(amount: Amount): { readonly measure: Measure; readonly value: number } {
  const measure = MEASURES.find(({ value }) => amount[value] !== undefined)?.value ?? 'usd';
  return { measure, value: Number(amount[measure] ?? 0) };
}

/** `$12.30 of $20.00`, `3 of 10 calls of models`. Pure. */
export function spentText({ spent, limit }: Pick<Budget, 'spent' | 'limit'>): string {
  const { measure, value } = measured(limit);
  const now = spent[measure] ?? 0;
  if (measure === 'usd') return `${roundCostText(String(now))} of ${roundCostText(String(value))}`;
  return `${rounded(Number(now))} of ${rounded(value)} ${UNITS[measure]}`;
}

/** `$20.00 a day`, `10 calls of models each run`. Pure. */
export function limitText({ limit, period }: Pick<Budget, 'limit' | 'period'>): string {
  const { measure, value } = measured(limit);
  const amount = measure === 'usd' ? roundCostText(String(value)) : `${rounded(value)} ${UNITS[measure]}`;
  return `${amount} ${PERIODS.find((it) => it.value === period)!.words}`;
}

/** The part of the limit that is spent; above 1 it is exceeded. A limit of nothing is reached by nothing. Pure. */
export function shareOf({ spent, limit }: Pick<Budget, 'spent' | 'limit'>): number {
  const { measure, value } = measured(limit);
  return value === 0 ? 1 : Number(spent[measure] ?? 0) / value;
}

/** The effect past the limit. */
export const actionsFor = (period: Period): readonly { readonly value: Action; readonly label: string }[] => [
  { value: 'notify', label: 'Notify webhooks and the audit log' },
  ...(period === 'run'
    ? ([{ value: 'pause', label: 'Cancel the run' }] as const)
    : ([
        { value: 'pause', label: 'Pause its agents' },
        { value: 'stop', label: 'Stop its agents' },
      ] as const)),
];

/** Pure. */
export const actionText = (action: Action, period: Period): string =>
  period === 'run' && action !== 'notify'
    ? 'Cancel the run'
    : { notify: 'Notify', pause: 'Pause agents', stop: 'Stop agents' }[action];

const STATES = ['exceeded', 'warning', 'ok'];

/** Budgets nearest to their limit, or past it, first. Pure. */
export const worstFirst = <B extends Budget>(budgets: readonly B[]): B[] =>
  budgets.toSorted(
    (one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state) || shareOf(other) - shareOf(one),
  );

const rounded = (value: number): string => numberText(Math.round(value * 10) / 10);
