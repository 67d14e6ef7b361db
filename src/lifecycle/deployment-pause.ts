import {
  type CommandAction,
  type DeploymentAction,
  type DeploymentStatus,
  isActive,
  type Transition,
} from './deployment-lifecycle.js';

/** The meaning of an agent's pause for its deployments, as pure functions. */

/** The cause of an agent's pause: a person, or a budget that it has exceeded. */
export const PAUSED_BY = ['user', 'budget'] as const;
export type PausedBy = (typeof PAUSED_BY)[number];

/** The fate of the runs that are under way when a pause begins. */
export const RUNS_OF_PAUSES = ['finish', 'cancel'] as const;
export type RunsOfPause = (typeof RUNS_OF_PAUSES)[number];

/** Commands that start replicas. While a deployment is held, they are recorded and not sent. */
const WITHHELD: readonly CommandAction[] = ['deploy', 'scale', 'restart'];

/** The facts that decide which command a deployment needs. */
export interface CommandFacts {
  readonly isHeld: boolean;
  /** The wanted number, also while it is held. */
  readonly replicas: number;
  readonly startGeneration: number;
  readonly observedGeneration: number | null;
}

export interface AskedCommand {
  readonly action: CommandAction;
  readonly replicas: number;
  readonly rolling?: true;
}

/**
 * The command after a step; null: none. A pause asks for no replica, where the runtime may have one. Its end asks for a
 * start that the runtime has not confirmed, else for the wanted number of replicas.
 *
 * @param deployment as it is after the step
 * @param isKnown true if the runtime may have begun the deployment
 */
export function commandAfter(
  { command, holds, rolling }: Pick<Transition, 'command' | 'holds' | 'rolling'>,
  deployment: CommandFacts,
  isKnown: boolean,
): AskedCommand | null {
  const { isHeld, replicas, observedGeneration } = deployment;
  if (holds === true) return isKnown ? { action: 'scale', replicas: 0 } : null;
  if (holds === false) {
    if (isStarted(deployment)) return { action: 'scale', replicas };
    return { action: observedGeneration === null ? 'deploy' : 'restart', replicas };
  }
  if (command === undefined || (isHeld && WITHHELD.includes(command))) return null;
  return { action: command, replicas, ...(rolling && { rolling }) };
}

/** Returns true if the runtime has confirmed the last deploy or restart. */
export function isStarted({
  startGeneration,
  observedGeneration,
}: Pick<CommandFacts, 'startGeneration' | 'observedGeneration'>): boolean {
  return observedGeneration !== null && observedGeneration >= startGeneration;
}

/**
 * The step that brings a deployment into agreement with its agent; null: none. A deployment that was lost with its
 * agent's heartbeat is no part of a pause that begins or ends meanwhile, so its recovery asks, too.
 */
export function pauseStepOf(
  deployment: { readonly status: DeploymentStatus; readonly isHeld: boolean },
  isPaused: boolean,
): DeploymentAction | null {
  if (!isActive(deployment) || deployment.isHeld === isPaused) return null;
  if (!isPaused) return 'resume';
  return deployment.status === 'ready' ? 'pause_ready' : 'pause';
}

/** The number of replicas that the runtime is to have. */
export function askedReplicasOf({
  isHeld,
  replicas,
}: {
  readonly isHeld: boolean;
  readonly replicas: number;
}): number {
  return isHeld ? 0 : replicas;
}
