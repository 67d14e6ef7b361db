import type { DeploymentStatus, StatusSource, Transition } from '../lifecycle/deployment-lifecycle.js';
import { isStarted } from '../lifecycle/deployment-pause.js';
import type { DeploymentEntity } from './deployment.entity.js';
import type { Restarts } from '../lifecycle/restart-pace.js';
import type { LastExit } from './runtime-report.types.js';
import type { DeploymentChange } from './deployment-change.types.js';

/** Details of an action. */
export interface ActionDetails {
  /** Number of replicas, for `scale`. */
  readonly replicas?: number;
  readonly nodeId?: string;
  readonly errorMessage?: string;
  /** Report of a runtime. */
  readonly readyReplicas?: number;
  readonly observedGeneration?: number;
}

/** Restarts and the last exit in a report. */
export type RestartChange = Restarts &
  Pick<DeploymentEntity, 'lastRestartAt'> & { readonly lastExit: LastExit | null };

const NO_RESTARTS: RestartChange = {
  restartCount: 0,
  recentRestarts: [],
  restartPace: null,
  lastRestartAt: null,
  lastExit: null,
};

const ENDED: readonly DeploymentStatus[] = ['stopped', 'failed', 'killed'];

/** The column values after a step. Pure. @param isPaused true while a pause holds the agent */
export function changeOf(
  deployment: DeploymentEntity,
  transition: Transition,
  to: DeploymentStatus,
  source: StatusSource,
  details: ActionDetails,
  isPaused: boolean,
): DeploymentChange {
  const { holds, rolling = false } = transition;
  // During a rolling restart the replicas of earlier generations continue, and reports of them still count.
  const starts = transition.command === 'restart' && !rolling;
  const ends = ENDED.includes(to);
  const asksForMore = starts || rolling || transition.command === 'scale' || holds !== undefined;
  // The end of a pause starts deployments that were requested meanwhile, and its time to come up
  // begins then.
  const startsLate = holds === false && !isStarted(deployment);
  const generation = deployment.generation + (asksForMore ? 1 : 0);
  const observedGeneration = laterGeneration(deployment, details.observedGeneration);
  const readyReplicas = starts || ends ? 0 : (details.readyReplicas ?? deployment.readyReplicas);
  const replicas = details.replicas ?? deployment.replicas;
  return {
    ...(starts && NO_RESTARTS),
    // The end of a deployment ends its crash loop, and so do ten quiet minutes.
    ...((ends || transition.event === 'stabilised') && { recentRestarts: [], restartPace: null }),
    readyGeneration: readyGenerationOf(deployment, {
      replicas,
      readyReplicas,
      generation,
      observedGeneration,
    }),
    status: to,
    // A scale keeps the status, and therefore its source.
    statusSource: transition.to === 'same' ? deployment.statusSource : source,
    failureCause: to === 'failed' ? (transition.cause ?? null) : null,
    // A restart is requested for one deployment: it stops no others.
    replaces: starts || transition.replaces ? 'none' : deployment.replaces,
    replicas,
    readyReplicas,
    generation,
    startGeneration: starts || startsLate ? generation : deployment.startGeneration,
    observedGeneration,
    lastSequence: deployment.lastSequence + 1,
    isHeld: holdsAfter(deployment, transition, ends, isPaused),
    nodeId: details.nodeId ?? deployment.nodeId,
    errorMessage: ends ? (details.errorMessage ?? (to === 'failed' ? null : deployment.errorMessage)) : null,
    starts: starts || startsLate || rolling,
    ended: to === deployment.status ? null : ends,
  };
}

/** Whether a pause holds the deployment after a step. One that was lost keeps it: its runtime may come back. */
function holdsAfter(
  { isHeld }: DeploymentEntity,
  { holds, command, cause }: Transition,
  ends: boolean,
  isPaused: boolean,
): boolean {
  if (holds !== undefined) return holds;
  if (command === 'restart') return isPaused;
  return isHeld && (!ends || cause === 'heartbeat_lost');
}

/** The columns that a report confirms without a step. Null if nothing differs. Pure. */
export function notedChange(
  deployment: DeploymentEntity,
  details: Pick<ActionDetails, 'readyReplicas' | 'nodeId' | 'observedGeneration'>,
): DeploymentChange | null {
  const { replicas, generation } = deployment;
  const observedGeneration = laterGeneration(deployment, details.observedGeneration);
  const readyReplicas = ENDED.includes(deployment.status)
    ? 0
    : (details.readyReplicas ?? deployment.readyReplicas);
  const noted = {
    readyReplicas,
    nodeId: details.nodeId ?? deployment.nodeId,
    observedGeneration,
    readyGeneration: readyGenerationOf(deployment, {
      replicas,
      readyReplicas,
      generation,
      observedGeneration,
    }),
  };
  const differs =
    noted.readyReplicas !== deployment.readyReplicas ||
    noted.nodeId !== deployment.nodeId ||
    noted.observedGeneration !== deployment.observedGeneration ||
    noted.readyGeneration !== deployment.readyGeneration;
  return differs ? noted : null;
}

/** The generation in which all replicas were ready, once the runtime has reached it. */
function readyGenerationOf(
  before: DeploymentEntity,
  after: Pick<DeploymentEntity, 'replicas' | 'readyReplicas' | 'generation' | 'observedGeneration'>,
): number | null {
  const isReady = after.readyReplicas > 0 && after.readyReplicas >= after.replicas;
  const isReached = (after.observedGeneration ?? after.generation) >= after.generation;
  return isReady && isReached ? after.generation : before.readyGeneration;
}

/** The confirmed generation: never lower than before, and never higher than the requested one. */
function laterGeneration(deployment: DeploymentEntity, observed: number | undefined): number | null {
  if (observed === undefined) return deployment.observedGeneration;
  return Math.min(Math.max(observed, deployment.observedGeneration ?? 0), deployment.generation);
}
