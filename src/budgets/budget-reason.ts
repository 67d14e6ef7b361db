import type { Actor } from '../access/principal.js';
import type { BudgetEntity } from './budget.entity.js';
import { amountOf } from './budget.response.js';

/** The actor of what a budget does. */
export const actorOfBudget = ({ id }: Pick<BudgetEntity, 'id'>): Actor => `budget:${id}`;

const NUMBER = new Intl.NumberFormat('en');
/** At least cents, and as exact as a limit is: to a millionth. */
const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
});

/** Why agents are paused or runs cancelled, for people. */
export function reasonOf({ name, limitOf, limitValue, period }: BudgetEntity): string {
  const [[measure, amount] = []] = Object.entries(amountOf(limitOf, limitValue));
  const limit =
    limitOf === 'usd'
      ? DOLLARS.format(Number(amount))
      : `${NUMBER.format(Number(amount))} ${measure!.replaceAll('_', ' ')}`;
  return `The budget "${name}" of ${limit} per ${period} is used up`;
}
