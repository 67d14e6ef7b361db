import {
  nextRunStatus,
  retryDelayOf,
  RUN_STATUSES,
  RUN_TRANSITIONS,
  type RunAction,
  type RunStatus,
} from './run-lifecycle.js';

/** The expected next statuses, written by hand: those that a status is absent from change nothing. */
const promised: Record<RunAction, Partial<Record<RunStatus, RunStatus>>> = {
  take: { queued: 'running' },
  wait: { running: 'waiting' },
  resume: { waiting: 'running' },
  give_back: { running: 'queued' },
  succeed: {
    running: 'succeeded',
    waiting: 'succeeded',
    timed_out: 'succeeded',
    abandoned: 'succeeded',
  },
  fail: { running: 'failed', waiting: 'failed', timed_out: 'failed', abandoned: 'failed' },
  end_early: {
    running: 'cancelled',
    waiting: 'cancelled',
    timed_out: 'cancelled',
    abandoned: 'cancelled',
  },
  cancel: { queued: 'cancelled' },
  request_cancel: { running: 'running', waiting: 'waiting' },
  suspect_loop: {
    queued: 'queued',
    running: 'running',
    waiting: 'waiting',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
    timed_out: 'timed_out',
    abandoned: 'abandoned',
  },
  decide_approval: { running: 'running', waiting: 'waiting' },
  expire: { queued: 'cancelled' },
  time_out: { running: 'timed_out', waiting: 'timed_out' },
  abandon: { running: 'abandoned', waiting: 'abandoned' },
  retry: { failed: 'queued', timed_out: 'queued', abandoned: 'queued' },
};

describe('The lifecycle of a run', () => {
  const cases = (Object.keys(RUN_TRANSITIONS) as RunAction[]).flatMap((action) =>
    RUN_STATUSES.map((status) => ({ action, status })),
  );

  it.each(cases)('answers $action in $status as documented', ({ action, status }) => {
    const [by] = RUN_TRANSITIONS[action].by;
    expect(nextRunStatus(action, status, by)).toBe(promised[action][status] ?? null);
  });

  it('refuses a step to callers without the right', () => {
    expect(nextRunStatus('take', 'queued', 'user')).toBeNull();
    expect(nextRunStatus('cancel', 'queued', 'agent')).toBeNull();
    expect(nextRunStatus('time_out', 'running', 'agent')).toBeNull();
  });
});

describe('The next attempt of a run', () => {
  const rule = { maxAttempts: 3, firstDelaySeconds: 10, retriesAbandoned: false };

  it.each<[RunStatus, number, number | null]>([
    ['failed', 1, 10],
    ['failed', 2, 20],
    ['failed', 3, null],
    ['timed_out', 1, 10],
    ['abandoned', 1, null],
    ['cancelled', 1, null],
    ['succeeded', 1, null],
  ])('of one that %s after %i attempts comes after %s seconds', (status, attempt, seconds) => {
    expect(retryDelayOf({ status, attempt }, rule)).toBe(seconds);
  });

  it('begins for an abandoned one if its request says so', () => {
    expect(retryDelayOf({ status: 'abandoned', attempt: 1 }, { ...rule, retriesAbandoned: true })).toBe(10);
  });

  it('begins after an hour at the latest', () => {
    const patient = { ...rule, maxAttempts: 100 };
    expect(retryDelayOf({ status: 'failed', attempt: 99 }, patient)).toBe(3_600);
  });
});
