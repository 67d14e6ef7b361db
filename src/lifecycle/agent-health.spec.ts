import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  healthOf,
  type HealthState,
  type Workload,
  pausedWorkload,
  workloadOf,
  type WorkloadPart,
  WORKLOADS,
} from './agent-health.js';

const READY: WorkloadPart = {
  id: '0192f0c2-52fb-7a10-b1d6-5f1c1c7be0aa',
  createdAt: '2026-01-31T09:30:00.000Z',
  status: 'ready',
  failureCause: null,
  replicas: 4,
  readyReplicas: 4,
  generation: 2,
  observedGeneration: 2,
  readyGeneration: 2,
  restartPace: null,
  restartCount: 0,
  errorMessage: null,
};

describe("An agent's health", () => {
  /** Written by hand from the promise, not derived from the table: online, offline, never connected. */
  const promised: Record<Workload, readonly [HealthState, HealthState, HealthState]> = {
    idle: ['idle', 'idle', 'idle'],
    ready: ['healthy', 'offline', 'offline'],
    progressing: ['progressing', 'offline', 'offline'],
    degraded: ['degraded', 'offline', 'offline'],
    crash_looping: ['failing', 'offline', 'offline'],
    lost: ['failing', 'offline', 'offline'],
    failed: ['failing', 'failing', 'failing'],
    paused: ['paused', 'paused', 'paused'],
  };
  const order: readonly AgentConnection[] = ['online', 'offline', 'never_connected'];
  const cases = WORKLOADS.flatMap((workload) =>
    AGENT_CONNECTIONS.map((connection) => ({ workload, connection })),
  );

  it.each(cases)('is as documented for $workload and $connection', ({ workload, connection }) => {
    const facts = { workload, connection, workloadReason: 'Why', lastSeenAt: null };
    expect(healthOf(facts).state).toBe(promised[workload][order.indexOf(connection)]);
  });

  it('names in its reason the time of the last heartbeat', () => {
    const facts = { workload: 'ready', workloadReason: '1 of 1 replicas ready' } as const;
    const lastSeenAt = '2026-01-31T09:30:00.000Z';
    expect(healthOf({ ...facts, connection: 'offline', lastSeenAt }).reason).toBe(
      `No call from the agent since ${lastSeenAt}. 1 of 1 replicas ready`,
    );
    expect(healthOf({ ...facts, connection: 'never_connected', lastSeenAt: null }).reason).toMatch(
      /^The agent has never connected/,
    );
  });
});

describe("An agent's workload", () => {
  it('during a pause names the cause of the pause, and the first line of the reason', () => {
    expect(pausedWorkload('user', null)).toEqual({ workload: 'paused', workloadReason: 'Paused' });
    expect(pausedWorkload('user', 'Too dear\nand slow').workloadReason).toBe('Paused: Too dear');
    expect(pausedWorkload('budget', 'Over $20').workloadReason).toBe('Paused by a budget: Over $20');
  });

  it.each<[Workload, string, Partial<WorkloadPart>]>([
    ['ready', 'all replicas are ready', {}],
    ['ready', 'no replicas are wanted', { replicas: 0, readyReplicas: 0 }],
    [
      'progressing',
      'nothing runs yet',
      { status: 'deploying', readyReplicas: 0, observedGeneration: null, readyGeneration: null },
    ],
    ['progressing', 'a scale is not confirmed', { generation: 3 }],
    [
      'progressing',
      'a scale is confirmed and not complete',
      { generation: 3, observedGeneration: 3, readyReplicas: 1 },
    ],
    [
      'progressing',
      'a start is not complete',
      { status: 'running', readyReplicas: 1, readyGeneration: null },
    ],
    ['degraded', 'replicas are no longer ready', { status: 'running', readyReplicas: 3 }],
    ['degraded', 'restarts are frequent', { restartPace: 'frequent' }],
    ['crash_looping', 'it restarts again and again', { restartPace: 'crash_looping' }],
    ['failed', 'it failed', { status: 'failed', failureCause: 'reported' }],
    ['lost', 'its heartbeat was lost', { status: 'failed', failureCause: 'heartbeat_lost' }],
    ['idle', 'it was stopped', { status: 'stopped' }],
    ['idle', 'it was killed', { status: 'killed' }],
  ])('is %s when %s', (workload, _, part) => {
    expect(workloadOf([{ ...READY, ...part }]).workload).toBe(workload);
  });

  it('is idle without deployments', () => {
    expect(workloadOf([])).toEqual({ workload: 'idle', workloadReason: 'Nothing is meant to run' });
  });

  it('is the workload of the worst active deployment, and ignores ended ones', () => {
    const failed = { ...READY, id: 'f', status: 'failed' } as const;
    expect(workloadOf([READY, failed]).workload).toBe('ready');
    expect(workloadOf([READY, { ...READY, readyReplicas: 1 }, failed])).toEqual({
      workload: 'degraded',
      workloadReason: '1 of 4 replicas ready in deployment …1c7be0aa (1 of 2 active deployments)',
    });
  });

  it('counts at most the wanted number of replicas as ready', () => {
    const scaledDown = { ...READY, replicas: 1, readyReplicas: 3 };
    expect(workloadOf([scaledDown]).workloadReason).toBe('1 of 1 replicas ready in deployment …1c7be0aa');
  });

  it('follows from the newest deployment by creation, not by id', () => {
    const newest = { ...READY, id: '1', status: 'failed', createdAt: '2026-01-31T09:30:00.001Z' } as const;
    const older = { ...READY, id: '2', status: 'stopped' } as const;
    expect(workloadOf([newest, older]).workload).toBe('failed');
    expect(workloadOf([{ ...newest, createdAt: older.createdAt }, older]).workload).toBe('idle');
  });

  it('has the line with the error as its reason', () => {
    const trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no';
    const failed = { ...READY, status: 'failed', errorMessage: trace } as const;
    expect(workloadOf([failed]).workloadReason).toBe('ValueError: no (deployment …1c7be0aa)');
  });
});
