import type { Budget } from '../api/budgets.js';
import { actionText, limitText, shareOf, spentText, worstFirst } from './budget-words.js';

const budget = (part: Partial<Budget>): Budget => ({ state: 'ok', period: 'day', ...part }) as Budget;

describe('The words for a budget', () => {
  it.each<[Budget['spent'], Budget['limit'], string, number]>([
    [{ usd: '12.345678' }, { usd: '20.000000' }, '$12.35 of $20.00', 0.6172839],
    [{ usd: '0.001200' }, { usd: '0.010000' }, '$0.0012 of $0.01', 0.12],
    [{ tokens: 1_250_000 }, { tokens: 1_000_000 }, '1,250,000 of 1,000,000 tokens', 1.25],
    [{ llm_calls: 3 }, { llm_calls: 10 }, '3 of 10 LLM calls', 0.3],
    [{ minutes: 1.2333 }, { minutes: 90 }, '1.2 of 90 minutes', 0.0137],
    [{ tool_calls: 0 }, { tool_calls: 0 }, '0 of 0 tool calls', 1],
  ])('tell that %j of %j is spent', (spent, limit, text, share) => {
    expect(spentText({ spent, limit })).toBe(text);
    expect(shareOf({ spent, limit })).toBeCloseTo(share, 4);
  });

  it('name the limit of its period', () => {
    expect(limitText({ limit: { usd: '20.000000' }, period: 'month' })).toBe('$20.00 a month');
    expect(limitText({ limit: { llm_calls: 50 }, period: 'run' })).toBe('50 LLM calls each run');
  });

  it('name the effect past the limit: for a run, only its cancellation', () => {
    expect(actionText('pause', 'day')).toBe('Pause agents');
    expect(actionText('stop', 'run')).toBe('Cancel the run');
    expect(actionText('notify', 'run')).toBe('Notify');
  });
});

it('Budgets past their limit come first, then the nearest ones', () => {
  const limit = { llm_calls: 10 };
  const budgets = [
    budget({ name: 'far', limit, spent: { llm_calls: 1 } }),
    budget({ name: 'near', limit, spent: { llm_calls: 7 } }),
    budget({ name: 'over', limit, spent: { llm_calls: 11 }, state: 'exceeded' }),
    budget({ name: 'warned', limit, spent: { llm_calls: 9 }, state: 'warning' }),
  ];
  expect(worstFirst(budgets).map(({ name }) => name)).toEqual(['over', 'warned', 'near', 'far']);
});
