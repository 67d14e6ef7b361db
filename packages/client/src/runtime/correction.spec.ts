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

  it('is empty if both sides agree', () => {
    expect(corrections({})).toEqual([]);
    expect(corrections({ status: 'deploying', generation: 5 })).toEqual([]);
    expect(correctionsOf(state, [deployment({}), deployment({ id: 'other' })], told)).toEqual([]);
  });

  it('contains deployments that run here and have ended in the service', () => {
    expect(corrections({ status: 'stopped' })).toEqual([['d', { phase: 'stopped' }]]);
    expect(corrections({ status: 'killed' })).toEqual([['d', { phase: 'killed' }]]);
  });

  it('is empty if a newer command arrived during the registration', () => {
    expect(corrections({ status: 'stopped', generation: 3 }, new Map([['d', 3]]))).toEqual([]);
    expect(corrections({ generation: 3 }, new Map([['d', 3]]))).toEqual([]);
    expect(correctionsOf(state, [], new Map())).toEqual([]);
    expect(state.assignment('d')).toEqual(running);
  });

  it('contains the earlier generation of a restored service', () => {
    expect(corrections({ generation: 3, replicas: 2 })).toEqual([
      ['d', { phase: 'running', generation: 3, replicas: 2, isRestart: false }],
    ]);
    expect(state.assignment('d')).toMatchObject({ generation: 3, observedGeneration: 3, startGeneration: 1 });
  });

  it('restarts a deployment that was restarted for a generation which a restored service no longer knows', () => {
    state.assign('d', { ...running, startGeneration: 4 });
    expect(corrections({ generation: 3 })).toMatchObject([['d', { isRestart: true }]]);
    expect(state.assignment('d')).toMatchObject({ startGeneration: 3 });
  });

  it('ends a deployment that is stopped in an earlier generation of a restored service', () => {
    expect(corrections({ status: 'stopped', generation: 2 })).toEqual([['d', { phase: 'stopped' }]]);
    expect(state.assignment('d')).toMatchObject({ generation: 2 });
  });

  it('removes a deployment that was stopped for a generation which a restored service no longer knows', () => {
    state.assign('d', { ...running, phase: 'stopped' });
    expect(corrections({ generation: 3 })).toEqual([]);
    expect(state.assignment('d')).toBeUndefined();
  });

  it.each(['stopped', 'failed'] as const)(
    'forgets a deployment that has ended as %s when the service has it as killed or does not know it',
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

  it.each(['running', 'ready'] as const)(
    'forgets a deployment that was stopped here by a command which the service has lost, when it is listed as %s',
    (status) => {
      state.assign('d', { ...running, phase: 'stopped', config: '' });
      expect(corrections({ status })).toEqual([]);
      expect(state.assignment('d')).toBeUndefined();
      // its reports continue, and move it to the same status there
      state.assign('d', { ...running, phase: 'failed' });
      expect(corrections({ status })).toEqual([]);
      expect(state.assignment('d')).toMatchObject({ phase: 'failed' });
    },
  );

  it('ends a deployment that the service does not know, unless its list may be incomplete', () => {
    expect(correctionsOf(state, [], told)).toEqual([['d', { phase: 'killed' }]]);
    const many = Array.from({ length: 100 }, (_, at) => deployment({ id: `other-${at}` }));
    expect(correctionsOf(state, many, told)).toEqual([]);
  });
});
