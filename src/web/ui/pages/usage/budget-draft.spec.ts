import type { Budget } from '../../api/budgets.js';
import { type BudgetDraft, draftOf, newBudgetOf, newDraft, termsOf } from './budget-draft.js';

const filled = (part: Partial<BudgetDraft>): BudgetDraft => ({
  ...newDraft('Europe/Berlin'),
  name: ' the month ',
  amount: 20,
  ...part,
});

const TERMS = {
  name: 'the month',
  timezone: 'Europe/Berlin',
  limit: { usd: 20 },
  warn_at: 0.8,
  on_exceeded: 'notify',
};

describe('The form of a budget', () => {
  it.each<[Partial<BudgetDraft>, object]>([
    [{}, { project_id: 'p' }],
    [{ whose: 'agent', agentId: 'a' }, { agent_id: 'a' }],
    [
      { whose: 'label', label: ' team:billing ' },
      { project_id: 'p', label: 'team:billing' },
    ],
  ])('makes a budget for its agents: %j', (part, scope) => {
    expect(newBudgetOf(filled(part), 'p')).toEqual({ ...TERMS, ...scope, period: 'month' });
  });

  it.each<[Partial<BudgetDraft>]>([
    [{ name: '  ' }],
    [{ amount: '' }],
    [{ warnAt: '' }],
    [{ whose: 'agent' }],
    [{ whose: 'label', label: 'billing' }],
    [{ whose: 'label', label: 'team:' }],
  ])('is incomplete with %j', (part) => {
    expect(newBudgetOf(filled(part), 'p')).toBeNull();
  });

  it('names no project for a user with a single one', () => {
    expect(newBudgetOf(filled({}), undefined)).toEqual({ ...TERMS, period: 'month' });
  });

  it('cancels runs past a limit that was to stop agents', () => {
    expect(termsOf(filled({ period: 'run', onExceeded: 'stop' }))).toMatchObject({ on_exceeded: 'pause' });
  });

  it('contains the values of an existing budget', () => {
    const budget = {
      name: 'calls',
      agent_id: null,
      label: 'team:billing',
      period: 'day',
      timezone: 'UTC',
      limit: { llm_calls: 50 },
      warn_at: 0.57,
      on_exceeded: 'pause',
    } as Budget;
    expect(draftOf(budget)).toEqual({
      name: 'calls',
      whose: 'label',
      agentId: null,
      label: 'team:billing',
      period: 'day',
      timezone: 'UTC',
      measure: 'llm_calls',
      amount: 50,
      warnAt: 57,
      onExceeded: 'pause',
    });
    expect(termsOf(draftOf(budget))).toEqual({
      name: 'calls',
      timezone: 'UTC',
      limit: { llm_calls: 50 },
      warn_at: 0.57,
      on_exceeded: 'pause',
    });
  });
});
