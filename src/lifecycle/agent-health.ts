import { type DeploymentStatus, type FailureCause, isActive } from './deployment-lifecycle.js';
import type { PausedBy } from './deployment-pause.js';
import { errorLineOf } from './error-line.js';
import type { RestartPace } from './restart-pace.js';

/** The health of an agent, as data and pure functions. All reads, filters and lists use it. */

export const AGENT_CONNECTIONS = ['never_connected', 'online', 'offline'] as const;
export type AgentConnection = (typeof AGENT_CONNECTIONS)[number];

export const HEALTH_STATES = [
  'idle',
  'healthy',
  'progressing',
  'degraded',
  'failing',
  'offline',
  'paused',
] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** The order of a list that begins with what needs a person. */
export const WORST_FIRST: readonly HealthState[] = [
  'failing',
  'offline',
  'degraded',
  'progressing',
  'paused',
  'healthy',
  'idle',
];

/**
 * The workload: the sum of an agent's deployments. It is stored with the agent, in the transaction that changes a
 * deployment.
 */
export const WORKLOADS = [
  'idle',
  'ready',
  'progressing',
  'degraded',
  'crash_looping',
  'lost',
  'failed',
  'paused',
] as const;
export type Workload = (typeof WORKLOADS)[number];

/** The health for each workload, while the agent is online and while it is not. */
export const HEALTH: Readonly<
  Record<Workload, { readonly online: HealthState; readonly silent: HealthState }>
> = {
  idle: { online: 'idle', silent: 'idle' },
  ready: { online: 'healthy', silent: 'offline' },
  progressing: { online: 'progressing', silent: 'offline' },
  degraded: { online: 'degraded', silent: 'offline' },
  crash_looping: { online: 'failing', silent: 'offline' },
  lost: { online: 'failing', silent: 'offline' },
  failed: { online: 'failing', silent: 'failing' },
  paused: { online: 'paused', silent: 'paused' },
};

/** The workloads of agents that need a person: `failing`, or `offline` while they are silent. */
export const FAILING_WORKLOADS = ['crash_looping', 'lost', 'failed'] as const satisfies readonly Workload[];

/** The facts that decide an agent's health. */
export interface HealthFacts {
  readonly connection: AgentConnection;
  readonly workload: Workload;
  /** One line about the deployment that decides the workload. */
  readonly workloadReason: string;
  readonly lastSeenAt: string | null;
}

export interface Health {
  readonly state: HealthState;
  /** One line for people, with names and numbers. */
  readonly reason: string;
}

/** The health of an agent and its reason. Pure. */
export function healthOf({ connection, workload, workloadReason, lastSeenAt }: HealthFacts): Health {
  const state = HEALTH[workload][connection === 'online' ? 'online' : 'silent'];
  if (state !== 'offline') return { state, reason: workloadReason };
  const silence =
    lastSeenAt === null ? 'The agent has never connected' : `No call from the agent since ${lastSeenAt}`;
  return { state, reason: `${silence}. ${workloadReason}` };
}

/**
 * The creation time of a deployment by the database's clock, and its id, which decides between two of the same
 * millisecond.
 */
export interface DatedDeployment {
  readonly id: string;
  /** ISO text, which sorts as the times do. */
  readonly createdAt: string;
}

/**
 * Compares creation times by the database's clock: ids begin with the time of the instance that made them, whose clock
 * may be wrong. Pure.
 */
export function isNewer(one: DatedDeployment, other: DatedDeployment): boolean {
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt;
}

/** The facts of a deployment that decide its agent's workload. */
export interface WorkloadPart extends DatedDeployment {
  readonly status: DeploymentStatus;
  readonly failureCause: FailureCause | null;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly generation: number;
  readonly observedGeneration: number | null;
  /** The last generation in which all replicas were ready; null before the first. */
  readonly readyGeneration: number | null;
  readonly restartPace: RestartPace | null;
  readonly restartCount: number;
  readonly errorMessage: string | null;
}

export interface WorkloadSummary {
  readonly workload: Workload;
  readonly workloadReason: string;
}

/** Workloads of active deployments, from the best to the worst. The worst one is that of the agent. */
const ACTIVE_WORKLOADS = ['ready', 'progressing', 'degraded', 'crash_looping'] as const satisfies Workload[];
const LONGEST_REASON = 300;

/**
 * Sums up an agent's deployments. Pure.
 *
 * @param deployments all active ones and the newest one, in any order
 */
export function workloadOf(deployments: readonly WorkloadPart[]): WorkloadSummary {
  const active = deployments.filter(isActive);
  if (active.length === 0) return workloadOfEnded(deployments);
  for (const workload of [...ACTIVE_WORKLOADS].reverse()) {
    const having = active.filter((deployment) => stateOfActive(deployment) === workload);
    if (having.length > 0) return { workload, workloadReason: activeReason(workload, having, active.length) };
  }
  throw new Error('An active deployment has no status');
}

/** The workload of a paused agent, whatever its deployments do. Pure. */
export function pausedWorkload(by: PausedBy, reason: string | null): WorkloadSummary {
  const whose = by === 'budget' ? 'Paused by a budget' : 'Paused';
  return { workload: 'paused', workloadReason: reason === null ? whose : `${whose}: ${shortened(reason)}` };
}

function stateOfActive(deployment: WorkloadPart): (typeof ACTIVE_WORKLOADS)[number] {
  const { status, replicas, readyReplicas, generation, observedGeneration, readyGeneration } = deployment;
  if (deployment.restartPace === 'crash_looping') return 'crash_looping';
  if (deployment.restartPace === 'frequent') return 'degraded';
  if (status === 'deploying' || (observedGeneration ?? generation) < generation) return 'progressing';
  if (readyReplicas >= replicas) return 'ready';
  return readyGeneration === generation ? 'degraded' : 'progressing';
}

function workloadOfEnded(deployments: readonly WorkloadPart[]): WorkloadSummary {
  const newest = deployments.reduce<WorkloadPart | undefined>(
    (latest, deployment) => (latest && isNewer(latest, deployment) ? latest : deployment),
    undefined,
  );
  if (newest?.status !== 'failed') return { workload: 'idle', workloadReason: 'Nothing is meant to run' };
  if (newest.failureCause === 'heartbeat_lost') {
    return {
      workload: 'lost',
      workloadReason: `Lost with the agent's heartbeat: deployment ${shortId(newest)}`,
    };
  }
  const { errorMessage } = newest;
  // The cause comes first: a list cuts the line.
  const cause = errorMessage === null ? 'Failed' : shortened(errorLineOf(errorMessage) ?? errorMessage);
  return { workload: 'failed', workloadReason: `${cause} (deployment ${shortId(newest)})` };
}

function activeReason(workload: Workload, having: readonly WorkloadPart[], active: number): string {
  const worst = having[0]!;
  const name = `deployment ${shortId(worst)}`;
  const others = active > 1 ? ` (${having.length} of ${active} active deployments)` : '';
  const ready = `${readyOf(worst)} of ${worst.replicas} replicas ready in ${name}${others}`;
  if (workload === 'crash_looping')
    return `Restarts again and again (${worst.restartCount} so far): ${name}${others}`;
  if (worst.restartPace === 'frequent')
    return `Restarts often (${worst.restartCount} so far): ${name}${others}`;
  if (worst.status === 'deploying') return `Not running yet: ${name}${others}`;
  return ready;
}

/**
 * The number of ready replicas, limited to the requested ones: after a scale-down more are ready until the runtime has
 * ended them. Pure.
 */
export function readyOf({
  readyReplicas,
  replicas,
}: Pick<WorkloadPart, 'readyReplicas' | 'replicas'>): number {
  return Math.min(readyReplicas, replicas);
}

/** The end of an id, for lists: ids begin with their time, so those of neighbours begin with the same characters. */
export function shortId({ id }: { readonly id: string }): string {
  return `…${id.slice(-8)}`;
}

/** The first line, within bounds. */
function shortened(text: string): string {
  return text.split('\n', 1)[0]!.slice(0, LONGEST_REASON).toWellFormed();
}
