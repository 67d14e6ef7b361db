import type { Command } from '../models.js';

const KNOWN_ACTIONS = ['deploy', 'scale', 'restart', 'stop', 'kill'] as const;
type KnownAction = (typeof KNOWN_ACTIONS)[number];

/** Why a deployment is to be brought into a state; `resume`: the runtime itself has started anew. */
export type Cause = KnownAction | 'resume';

/** A command that this runtime can carry out: the service's list of actions may grow. */
export type KnownCommand = Command & { readonly action: KnownAction };

/** The wanted state of a deployment. */
export interface DesiredState {
  readonly deploymentId: string;
  /** The number of the last request: it rises with each deploy, scale and restart. */
  readonly generation: number;
  /** The generation of the last deploy or restart: whatever was started for an earlier one is to be replaced. */
  readonly startGeneration: number;
  readonly phase: 'running' | 'stopped' | 'killed';
  /** How many are to run; 0 unless the phase is `running`. */
  readonly replicas: number;
  /** The agent's configuration, parsed. */
  readonly config: unknown;
  readonly cause: Cause;
}

/** A deployment as it is remembered from one command to the next. */
export interface Assignment {
  readonly generation: number;
  readonly startGeneration: number;
  readonly phase: 'running' | 'stopped' | 'failed';
  readonly replicas: number;
  /** JSON text; empty unless the phase is `running`. */
  readonly config: string;
  /** The last generation that was carried out. */
  readonly observedGeneration: number;
  /** Why it failed. */
  readonly error?: string;
}

export function isKnown(command: Command): command is KnownCommand {
  const known: readonly string[] = KNOWN_ACTIONS;
  return known.includes(command.action);
}

/** Returns true if a later command of the deployment has been carried out already, so that this one means nothing any more. */
export function isOutdated(command: Command, known: Assignment | undefined): boolean {
  return known !== undefined && command.parameters.generation < known.generation;
}

/** The state that a command asks for. Pure. */
export function desiredBy(command: KnownCommand, known: Assignment | undefined): DesiredState {
  const { generation, replicas, config } = command.parameters;
  const { action: cause, deployment_id: deploymentId } = command;
  const ends = cause === 'stop' || cause === 'kill';
  const startGeneration = cause === 'deploy' || cause === 'restart' ? generation : known?.startGeneration;
  return {
    deploymentId,
    generation,
    startGeneration: startGeneration ?? generation,
    phase: cause === 'stop' ? 'stopped' : cause === 'kill' ? 'killed' : 'running',
    replicas: ends ? 0 : replicas,
    config: ends ? {} : JSON.parse(config),
    cause,
  };
}

/** A deployment that runs is to run again after the runtime's own restart. */
export function desiredAgain(deploymentId: string, known: Assignment): DesiredState {
  const { generation, startGeneration, replicas, config } = known;
  return {
    deploymentId,
    generation,
    startGeneration,
    phase: 'running',
    replicas,
    config: JSON.parse(config),
    cause: 'resume',
  };
}

/** The part of it that is remembered. A killed one is forgotten. */
export function assignmentOf(
  desired: DesiredState,
  known: Assignment | undefined,
  config: string,
): Assignment | undefined {
  const { generation, startGeneration, phase, replicas } = desired;
  if (phase === 'killed') return undefined;
  return {
    generation,
    startGeneration,
    phase,
    replicas,
    config: phase === 'running' ? config : '',
    observedGeneration: known ? reportedGeneration(known) : 0,
  };
}

/** A failure is reported with the generation that failed; what comes after it must not name an older one. */
function reportedGeneration({ phase, generation, observedGeneration }: Assignment): number {
  return phase === 'failed' ? generation : observedGeneration;
}
