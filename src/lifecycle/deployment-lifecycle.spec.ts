import {
  decide,
  DEPLOYMENT_STATUSES,
  type DeploymentAction,
  type DeploymentStatus,
  FAILURE_CAUSES,
  STATUS_SOURCES,
  type StatusSource,
  TRANSITIONS,
} from './deployment-lifecycle.js';

/**
 * The expected lifecycle, written by hand and not derived from the table: for each action the allowed actors, the
 * transitions, and the side effects. Everything else must change nothing or be refused.
 */
const promised: Record<
  DeploymentAction,
  {
    /** The allowed actors; others are refused. */
    by: readonly StatusSource[];
    moves: Partial<Record<DeploymentStatus, DeploymentStatus>>;
    event: string;
    command?: string;
    rolling?: true;
    holds?: boolean;
    withdraws?: true;
    replaces?: true;
    agent?: 'start' | 'stop' | 'stop_when_idle' | 'lose';
    /** `nothing`, or the message of the refusal. */
    otherwise: string;
  }
> = {
  run: { by: ['agent', 'user'], moves: { deploying: 'running' }, event: 'running', otherwise: 'nothing' },
  recover: { by: ['agent', 'user'], moves: { failed: 'running' }, event: 'recovered', otherwise: 'nothing' },
  become_ready: {
    by: ['agent', 'user'],
    moves: { deploying: 'ready', running: 'ready' },
    event: 'ready',
    replaces: true,
    otherwise: 'nothing',
  },
  degrade: { by: ['agent'], moves: { ready: 'running' }, event: 'degraded', otherwise: 'nothing' },
  crash_loop: {
    by: ['agent'],
    moves: { deploying: 'deploying', running: 'running', ready: 'ready' },
    event: 'crash_looping',
    otherwise: 'nothing',
  },
  stabilise: {
    by: ['monitor'],
    moves: { deploying: 'deploying', running: 'running', ready: 'ready' },
    event: 'stabilised',
    otherwise: 'nothing',
  },
  scale: {
    by: ['user'],
    moves: { running: 'running', ready: 'ready' },
    event: 'scale',
    command: 'scale',
    otherwise: 'Can only scale running deployments',
  },
  stop: {
    by: ['user', 'monitor'],
    moves: { deploying: 'stopped', running: 'stopped', ready: 'stopped' },
    event: 'stop',
    command: 'stop',
    agent: 'stop',
    otherwise: 'nothing',
  },
  stop_one: {
    by: ['user', 'monitor'],
    moves: { deploying: 'stopped', running: 'stopped', ready: 'stopped' },
    event: 'stop',
    command: 'stop',
    agent: 'stop_when_idle',
    otherwise: 'Can only stop active deployments',
  },
  complete: {
    by: ['agent'],
    moves: { deploying: 'stopped', running: 'stopped', ready: 'stopped' },
    event: 'completed',
    withdraws: true,
    replaces: true,
    agent: 'stop_when_idle',
    otherwise: 'nothing',
  },
  restart: {
    by: ['user'],
    moves: { stopped: 'deploying', failed: 'deploying' },
    event: 'restart',
    command: 'restart',
    agent: 'start',
    otherwise: 'Can only restart stopped or failed deployments',
  },
  restart_rolling: {
    by: ['user'],
    moves: { running: 'running', ready: 'ready' },
    event: 'restart',
    command: 'restart',
    rolling: true,
    otherwise: 'Can only replace the replicas of running deployments',
  },
  pause: {
    by: ['user', 'monitor'],
    moves: { deploying: 'deploying', running: 'running' },
    event: 'paused',
    withdraws: true,
    holds: true,
    otherwise: 'nothing',
  },
  pause_ready: {
    by: ['user', 'monitor'],
    moves: { ready: 'running' },
    event: 'paused',
    withdraws: true,
    holds: true,
    otherwise: 'nothing',
  },
  resume: {
    by: ['user', 'monitor'],
    moves: { deploying: 'deploying', running: 'running', ready: 'ready' },
    event: 'resumed',
    withdraws: true,
    holds: false,
    otherwise: 'nothing',
  },
  fail: {
    by: ['agent', 'user'],
    moves: { deploying: 'failed', running: 'failed', ready: 'failed' },
    event: 'failed',
    withdraws: true,
    otherwise: 'nothing',
  },
  stall: {
    by: ['monitor'],
    moves: { deploying: 'failed', running: 'failed', ready: 'failed' },
    event: 'failed',
    withdraws: true,
    otherwise: 'nothing',
  },
  expire: {
    by: ['monitor'],
    moves: { deploying: 'failed' },
    event: 'deadline_exceeded',
    withdraws: true,
    otherwise: 'nothing',
  },
  lose: {
    by: ['monitor'],
    moves: { deploying: 'failed', running: 'failed', ready: 'failed' },
    event: 'heartbeat_lost',
    agent: 'lose',
    otherwise: 'nothing',
  },
  kill: {
    by: ['user'],
    moves: { deploying: 'killed', running: 'killed', ready: 'killed', stopped: 'killed', failed: 'killed' },
    event: 'kill',
    command: 'kill',
    agent: 'stop',
    otherwise: 'nothing',
  },
};

const cases = (Object.keys(promised) as DeploymentAction[]).flatMap((action) =>
  DEPLOYMENT_STATUSES.flatMap((status) => STATUS_SOURCES.map((by) => ({ action, status, by }))),
);

describe('The lifecycle of a deployment', () => {
  it('has exactly the expected actions', () => {
    expect(Object.keys(TRANSITIONS).sort()).toEqual(Object.keys(promised).sort());
  });

  it.each(cases)('decides as expected on $action from $status by $by', ({ action, status, by }) => {
    const expected = promised[action];
    const failureCause = status === 'failed' ? 'heartbeat_lost' : null;
    const decision = decide(action, { status, failureCause }, by);
    const to = expected.moves[status];
    if (!expected.by.includes(by)) {
      expect(decision.kind).toBe('refuse');
    } else if (to === undefined && expected.otherwise === 'nothing') {
      expect(decision).toEqual({ kind: 'nothing' });
    } else if (to === undefined) {
      expect(decision).toEqual({ kind: 'refuse', message: expected.otherwise });
    } else {
      expect(decision).toMatchObject({ kind: 'move', to, transition: { event: expected.event } });
      expect(decision.kind === 'move' && decision.transition.command).toBe(expected.command);
      expect(decision.kind === 'move' && decision.transition.rolling).toBe(expected.rolling);
      expect(decision.kind === 'move' && decision.transition.holds).toBe(expected.holds);
      expect(decision.kind === 'move' && decision.transition.withdraws).toBe(expected.withdraws);
      expect(decision.kind === 'move' && decision.transition.replaces).toBe(expected.replaces);
      expect(decision.kind === 'move' && decision.transition.agent).toBe(expected.agent);
    }
  });

  it.each(FAILURE_CAUSES.filter((cause) => cause !== 'heartbeat_lost'))(
    'does not recover from the failure cause %s',
    (failureCause) => {
      expect(decide('recover', { status: 'failed', failureCause }, 'agent')).toEqual({ kind: 'nothing' });
    },
  );
});
