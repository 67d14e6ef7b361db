import type { Deployment } from '../models.js';
import type { Assignment } from './desired-state.js';
import { Reports } from './reports.js';
import { RuntimeState } from './runtime-state.js';

const running: Assignment = {
  generation: 2,
  startGeneration: 1,
  phase: 'running',
  replicas: 3,
  config: '{}',
  observedGeneration: 2,
};
const deployment = (id: string, change: Partial<Deployment>) =>
  ({ id, generation: 2, ...change }) as Deployment;

describe('Reports of deployments', () => {
  let state: RuntimeState;
  let reports: Reports;
  beforeEach(() => {
    state = RuntimeState.open();
    reports = new Reports(state, 'node');
    state.assign('d', running);
  });

  it("contain the agent's report, and are empty before the first one", () => {
    expect(reports.all()).toEqual([]);
    expect(reports.note('d', { readyReplicas: 1, errorMessage: 'replica 2 ended' })).toBe(true);
    expect(reports.note('d', { readyReplicas: 1, errorMessage: 'replica 2 ended' })).toBe(false);
    expect(reports.all()).toEqual([
      {
        deployment_id: 'd',
        node_id: 'node',
        status: 'running',
        ready_replicas: 1,
        observed_generation: 2,
        error_message: 'replica 2 ended',
      },
    ]);
    reports.note('d', { readyReplicas: 3 });
    expect(reports.all()).toMatchObject([{ status: 'ready', ready_replicas: 3 }]);
  });

  it('contain the restart count and the last exit, also of a failed deployment', () => {
    const lastExit = { code: 1, message: 'out of memory', at: '2026-01-31T09:30:00.000Z' };
    reports.note('d', { readyReplicas: 0, restartCount: 3, lastExit });
    expect(reports.note('d', { readyReplicas: 0, restartCount: 3, lastExit: { ...lastExit } })).toBe(false);
    expect(reports.all()).toMatchObject([{ status: 'running', restart_count: 3, last_exit: lastExit }]);
    state.assign('d', { ...running, phase: 'failed', error: 'gave up' });
    expect(reports.all()).toMatchObject([{ status: 'failed', restart_count: 3, last_exit: lastExit }]);
  });

  it('name the generation that a completed deployment has completed, and how it ended', () => {
    const lastExit = { code: 0, at: '2026-01-31T09:30:00.000Z' };
    reports.note('d', { readyReplicas: 3, lastExit });
    expect(state.markCompleted('d', 1)).toBe(false);
    expect(reports.all()).toMatchObject([{ status: 'ready' }]);
    expect(state.markCompleted('d', 2)).toBe(true);
    expect(state.markCompleted('d', 2)).toBe(false);
    expect(reports.all()).toEqual([
      {
        deployment_id: 'd',
        node_id: 'node',
        status: 'completed',
        observed_generation: 2,
        last_exit: lastExit,
      },
    ]);
  });

  it('name the last generation carried out, not the one under way', () => {
    reports.note('d', { readyReplicas: 1 });
    state.assign('d', { ...running, generation: 3 });
    expect(reports.all()).toMatchObject([{ observed_generation: 2 }]);
    state.assign('d', { ...running, observedGeneration: 0 });
    expect(reports.all()).toEqual([]);
  });

  it('give the error of a failed deployment, and leave out a stopped one', () => {
    reports.note('d', { readyReplicas: 3 });
    state.assign('d', { ...running, phase: 'failed', error: 'gave up' });
    expect(reports.all()).toMatchObject([{ status: 'failed', error_message: 'gave up' }]);
    state.assign('d', { ...running, phase: 'stopped' });
    expect(reports.all()).toEqual([]);
  });

  it('report as failed a deployment that runs only in the records of the service', () => {
    reports.compare([
      deployment('other', { status: 'ready' }),
      deployment('d', { status: 'ready' }),
      deployment('new', { status: 'deploying' }),
      deployment('old', { status: 'killed' }),
    ]);
    expect(reports.all()).toMatchObject([
      { deployment_id: 'other', status: 'failed', observed_generation: 2 },
    ]);
    // a restart brings it here
    state.assign('other', running);
    expect(reports.all()).toEqual([]);
  });

  it('have 0 ready replicas at the end of the runtime', () => {
    reports.note('d', { readyReplicas: 3 });
    reports.noteEnd();
    expect(reports.all()).toMatchObject([{ status: 'running', ready_replicas: 0 }]);
  });
});
