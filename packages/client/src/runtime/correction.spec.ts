import type { Deployment } from '../models.js';
import { correctionsOf } from './correction.js';
import type { Assignment } from './desired-state.js';
import { RuntimeState } from './runtime-state.js';

const running: Assignment = {
  generation: 4,
  startGeneration: 1,
  phase: 'running',
  replicas: 3,
  config: '{}',
  observedGeneration: 4,
};
const deployment = (change: Partial<Deployment>) =>
  ({ id: 'd', generation: 4, replicas: 3, status: 'ready', ...change }) as Deployment;

describe('The correction after a registration', () => {
  let state: RuntimeState;
  beforeEach(() => {
    state = RuntimeState.open();
    state.assign('d', running);
  });
  const told = new Map([['d', 4]]);
  const corrections = (change: Partial<Deployment>, before = told) =>
    correctionsOf(state, [deployment(change)], before);

  it('is nothing where both know the same', () => {
    expect(corrections({})).toEqual([]);
    expect(corrections({ status: 'deploying', generation: 5 })).toEqual([]);
    expect(correctionsOf(state, [deployment({}), deployment({ id: 'other' })], told)).toEqual([]);
  });

  it('is what runs here though the service has it as ended', () => {
    expect(corrections({ status: 'stopped' })).toEqual([['d', { phase: 'stopped' }]]);
    expect(corrections({ status: 'killed' })).toEqual([['d', { phase: 'killed' }]]);
  });

  it('is nothing where a newer command came while the registration was under way', () => {
    expect(corrections({ status: 'stopped', generation: 3 }, new Map([['d', 3]]))).toEqual([]);
    expect(corrections({ generation: 3 }, new Map([['d', 3]]))).toEqual([]);
    expect(correctionsOf(state, [], new Map())).toEqual([]);
    expect(state.assignment('d')).toEqual(running);
  });

  it('is what a restored service knows of an earlier generation', () => {
    expect(corrections({ generation: 3, replicas: 2 })).toEqual([
      ['d', { phase: 'running', generation: 3, replicas: 2, isRestart: false }],
    ]);
    expect(state.assignment('d')).toMatchObject({ generation: 3, observedGeneration: 3, startGeneration: 1 });
  });

  it('begins anew what was restarted for a generation that a restored service no longer knows', () => {
    state.assign('d', { ...running, startGeneration: 4 });
    expect(corrections({ generation: 3 })).toMatchObject([['d', { isRestart: true }]]);
    expect(state.assignment('d')).toMatchObject({ startGeneration: 3 });
  });

  it('ends what a restored service has as stopped in an earlier generation', () => {
    expect(corrections({ status: 'stopped', generation: 2 })).toEqual([['d', { phase: 'stopped' }]]);
    expect(state.assignment('d')).toMatchObject({ generation: 2 });
  });

  it('forgets what was stopped for a generation that a restored service no longer knows', () => {
    state.assign('d', { ...running, phase: 'stopped' });
    expect(corrections({ generation: 3 })).toEqual([]);
    expect(state.assignment('d')).toBeUndefined();
  });

  it.each(['stopped', 'failed'] as const)(
    'forgets what has ended here as %s when the service has it as killed, or does not know it',
    (phase) => {
      state.assign('d', { ...running, phase });
      expect(corrections({ status: 'stopped' })).toEqual([]);
      expect(state.assignment('d')).toMatchObject({ phase });
      expect(corrections({ status: 'killed' })).toEqual([]);
      expect(state.assignment('d')).toBeUndefined();
      state.assign('d', { ...running, phase });
      expect(correctionsOf(state, [], told)).toEqual([]);
      expect(state.assignment('d')).toBeUndefined();
    },
  );

  it('ends what the service does not know, unless it may only have been left out of a long list', () => {
    expect(correctionsOf(state, [], told)).toEqual([['d', { phase: 'killed' }]]);
    const many = Array.from({ length: 100 }, (_, at) => deployment({ id: `other-${at}` }));
    expect(correctionsOf(state, many, told)).toEqual([]);
  });
});
