import { type HealthState, WORST_FIRST } from './agent-health.js';
import {
  type DeploymentStatus,
  type EventType,
  type FailureCause,
  isActive,
} from './deployment-lifecycle.js';
import type { RestartPace } from './restart-pace.js';

/** The health of an agent in the hours that have passed, from the steps of its deployments. Pure. */

/** A step of a deployment, as its history has it. */
export interface PastStep {
  readonly deploymentId: string;
  /** The hour in which it was, counted from the first one that is asked for. */
  readonly hour: number;
  /** One of {@link EventType}, or a reporter's own name. */
  readonly eventType: string;
  readonly status: DeploymentStatus;
  /** Null for the step that created the deployment. */
  readonly previousStatus: DeploymentStatus | null;
}

/** A deployment as it is now. */
export interface PresentDeployment {
  readonly id: string;
  readonly status: DeploymentStatus;
  readonly failureCause: FailureCause | null;
  readonly restartPace: RestartPace | null;
  readonly isHeld: boolean;
}

interface DeploymentState {
  readonly health: HealthState;
  readonly isActive: boolean;
}

type ByEvent = Readonly<Partial<Record<string, HealthState>>>;

const OF_STATUS: Readonly<Record<DeploymentStatus, HealthState>> = {
  deploying: 'progressing',
  running: 'progressing',
  ready: 'healthy',
  stopped: 'idle',
  failed: 'failing',
  killed: 'idle',
};

/** Health after steps whose status does not say it. */
const AFTER: ByEvent = {
  degraded: 'degraded',
  crash_looping: 'failing',
  paused: 'paused',
  heartbeat_lost: 'offline',
} satisfies Partial<Record<EventType, HealthState>>;

/** Health before steps whose previous status does not say it. They end it, though the status may stay. */
const BEFORE: ByEvent = {
  recovered: 'offline',
  stabilised: 'failing',
  resumed: 'paused',
} satisfies Partial<Record<EventType, HealthState>>;

/**
 * The worst health of each hour. The deployments that exist are in the order of their creation, the steps in that of their
 * times.
 */
export function healthByHour(
  hours: number,
  deployments: readonly PresentDeployment[],
  steps: readonly PastStep[],
): HealthState[] {
  const states = statesBefore(deployments, steps);
  let health = together(states);
  let next = 0;
  return Array.from({ length: hours }, (_, hour) => {
    let worst = health;
    for (; next < steps.length && steps[next]!.hour <= hour; next += 1) {
      const step = steps[next]!;
      const state = stateAfter(step, states.get(step.deploymentId));
      states.set(step.deploymentId, state);
      health = together(states);
      // A failure counts in its hour, though another deployment of the agent continues.
      worst = [worst, health, ...(state.isActive ? [] : [state.health])].reduce(worse);
    }
    return worst;
  });
}

/** States at the begin of the first hour, in the order of creation. Those created later are added by their first step. */
function statesBefore(
  deployments: readonly PresentDeployment[],
  steps: readonly PastStep[],
): Map<string, DeploymentState> {
  const first = new Map(steps.toReversed().map((step) => [step.deploymentId, step]));
  const present = new Map(deployments.map((deployment) => [deployment.id, deployment]));
  const gone = [...first.keys()].filter((id) => !present.has(id));
  const states = new Map<string, DeploymentState>();
  for (const id of [...gone, ...present.keys()]) {
    const step = first.get(id);
    const state = step === undefined ? stateOf(present.get(id)!) : stateBefore(step);
    if (state !== null) states.set(id, state);
  }
  return states;
}

function stateOf(deployment: PresentDeployment): DeploymentState {
  return { health: healthOf(deployment), isActive: isActive(deployment) };
}

function healthOf({ status, failureCause, restartPace, isHeld }: PresentDeployment): HealthState {
  if (failureCause === 'heartbeat_lost') return 'offline';
  if (!isActive({ status })) return OF_STATUS[status];
  if (isHeld) return 'paused';
  if (restartPace !== null) return restartPace === 'crash_looping' ? 'failing' : 'degraded';
  return OF_STATUS[status];
}

function stateBefore({ eventType, previousStatus: status }: PastStep): DeploymentState | null {
  if (status === null) return null;
  return { health: BEFORE[eventType] ?? OF_STATUS[status], isActive: isActive({ status }) };
}

function stateAfter(step: PastStep, before: DeploymentState | undefined): DeploymentState {
  const { eventType, status, previousStatus } = step;
  const isKept = status === previousStatus && BEFORE[eventType] === undefined;
  const health = AFTER[eventType] ?? (isKept && before ? before.health : OF_STATUS[status]);
  return { health, isActive: isActive({ status }) };
}

/** The worst of the active deployments or, where none is active, the failure of the newest one. */
function together(states: ReadonlyMap<string, DeploymentState>): HealthState {
  const all = [...states.values()];
  const active = all.filter((state) => state.isActive).map((state) => state.health);
  return active.length > 0 ? active.reduce(worse) : (all.at(-1)?.health ?? 'idle');
}

function worse(one: HealthState, other: HealthState): HealthState {
  return WORST_FIRST.indexOf(one) <= WORST_FIRST.indexOf(other) ? one : other;
}
