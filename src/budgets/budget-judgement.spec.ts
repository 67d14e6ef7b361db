import { judge, stateOf } from './budget-judgement.js';
import type { BudgetState } from './budget.types.js';

const LIMIT = { limitValue: 100, warnAt: 0.8 };
const MAY = '2026-05-01T00:00:00.000Z';
const JUNE = '2026-06-01T00:00:00.000Z';

describe('The state of a budget', () => {
  it.each<[number, BudgetState]>([
    [0, 'ok'],
    [79, 'ok'],
    [80, 'warning'],
    [99, 'warning'],
    [100, 'exceeded'],
    [1_000, 'exceeded'],
  ])('after %d of 100 is %s', (spent, state) => {
    expect(stateOf(spent, LIMIT)).toBe(state);
  });
});

describe('A judgement', () => {
  const judged = (told: BudgetState, spent: number, period = MAY) =>
    judge(
      { ...LIMIT, state: told, periodStartedAt: MAY },
      { spent, periodStartedAt: period, resetsAt: JUNE },
    );

  it.each<[BudgetState, number, string | null]>([
    ['ok', 79, null],
    ['ok', 80, 'warning'],
    ['ok', 100, 'exceeded'],
    ['warning', 90, null],
    ['warning', 100, 'exceeded'],
    ['exceeded', 200, null],
    ['exceeded', 90, null],
  ])('tells each step up once: %s, then %d of 100: %s', (told, spent, event) => {
    expect(judged(told, spent).event).toBe(event);
  });

  it('begins a new period without sent events', () => {
    expect(judged('exceeded', 0, JUNE)).toEqual({ state: 'ok', event: null });
    expect(judged('exceeded', 100, JUNE)).toEqual({ state: 'exceeded', event: 'exceeded' });
  });
});
