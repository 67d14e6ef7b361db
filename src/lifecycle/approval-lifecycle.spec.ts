import {
  APPROVAL_STATES,
  APPROVAL_TRANSITIONS,
  type ApprovalAction,
  nextApprovalState,
} from './approval-lifecycle.js';

const ACTIONS = Object.keys(APPROVAL_TRANSITIONS) as ApprovalAction[];
const SOURCES = ['user', 'agent', 'monitor'] as const;

describe('The life of an approval', () => {
  it.each([
    ['approve', 'user', 'approved'],
    ['edit', 'user', 'edited'],
    ['reject', 'user', 'rejected'],
    ['respond', 'user', 'responded'],
    ['expire', 'monitor', 'expired'],
    ['withdraw', 'agent', 'withdrawn'],
    ['withdraw', 'monitor', 'withdrawn'],
  ] as const)('goes on from pending: %s by the %s makes it %s', (action, by, state) =>
    expect(nextApprovalState(action, 'pending', by)).toBe(state),
  );

  it('ends with the first step of any kind', () => {
    for (const state of APPROVAL_STATES.filter((each) => each !== 'pending'))
      for (const action of ACTIONS)
        for (const by of SOURCES) expect(nextApprovalState(action, state, by)).toBeNull();
  });

  it('has no decision by an agent, or by time only', () => {
    for (const action of ['approve', 'edit', 'reject', 'respond'] as const)
      for (const by of ['agent', 'monitor'] as const)
        expect(nextApprovalState(action, 'pending', by)).toBeNull();
    expect(nextApprovalState('expire', 'pending', 'user')).toBeNull();
    expect(nextApprovalState('withdraw', 'pending', 'user')).toBeNull();
  });
});
