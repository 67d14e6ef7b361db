import type { Actor } from '../access/principal.js';
import type { BudgetEntity } from './budget.entity.js';
import { amountOf } from './budget.response.js';

/** The actor of what a budget does. */
export const actorOfBudget = ({ id }: Pick<BudgetEntity, 'id'>): Actor => `budget:${id}`;

/** Why agents are paused or runs cancelled, for people. */
export function reasonOf({ name, limitOf, limitValue, period }: BudgetEntity): string {
  const [[measure, amount] = []] = Object.entries(amountOf(limitOf, limitValue));
  const limit = limitOf === 'usd' ? `$${String(amount)}` : `${String(amount)} ${measure!.replace('_', ' ')}`;
  return `The budget "${name}" of ${limit} for each ${period} is spent`;
}
