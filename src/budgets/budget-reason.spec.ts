import type { BudgetEntity } from './budget.entity.js';
import { reasonOf } from './budget-reason.js';

describe('The reason of what a budget does', () => {
  it.each<[BudgetEntity['limitOf'], number, string]>([
    ['usd', 8_000_000, '$8.00'],
    ['usd', 1_250_500_000, '$1,250.50'],
    ['usd', 1_250, '$0.00125'],
    ['tokens', 1_200_000, '1,200,000 tokens'],
    ['llm_calls', 5, '5 llm calls'],
  ])('names a limit of %s, stored as %d, as %s', (limitOf, limitValue, limit) => {
    const reason = reasonOf({ name: 'a day', limitOf, limitValue, period: 'day' } as BudgetEntity);
    expect(reason).toBe(`The budget "a day" of ${limit} per day is used up`);
  });
});
