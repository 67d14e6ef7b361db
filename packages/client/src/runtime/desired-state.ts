import type { Command } from '../models.js';

const KNOWN_ACTIONS = ['deploy', 'scale', 'restart', 'stop', 'kill'] as const;
type KnownAction = (typeof KNOWN_ACTIONS)[number];

/** The reason for a desired state; `resume`: the runtime's process has restarted. */
export type Cause = KnownAction | 'resume';

/** A command that this runtime can carry out: the service's list of actions may grow. */
export type KnownCommand = Command & { readonly action: KnownAction };

/** The desired state of a deployment. */
export interface DesiredState {
  readonly deploymentId: string;
  /** The number of the last request: it grows with each deploy, scale and restart. */
  readonly generation: number;
  /** The generation of the last deploy or restart: replicas of earlier ones must be replaced. */
  readonly startGeneration: number;
  /** True: they are replaced one after another, each once the one before is ready. False: all at once. */
  readonly rolling: boolean;
  readonly phase: 'running' | 'stopped' | 'killed';
  /** Number of replicas; 0 unless the phase is `running`. */
  readonly replicas: number;
  /** The agent's configuration, parsed. */
  readonly config: unknown;
  readonly cause: Cause;
}

/** The stored state of a deployment between two commands. */
export interface Assignment {
  readonly generation: number;
  readonly startGeneration: number;
  /** True if the last start was a rolling restart. */
  readonly rolling?: boolean;
  /** `completed`: all replicas have ended well, and none is to start again. */
  readonly phase: 'running' | 'stopped' | 'failed' | 'completed';
  readonly replicas: number;
  /** JSON text; empty unless the phase is `running`. */
  readonly config: string;
  /** The last generation that was applied. */
  readonly observedGeneration: number;
  /** Reason of its failure. */
  readonly error?: string;
}

export function isKnown(command: Command): command is KnownCommand {
  const known: readonly string[] = KNOWN_ACTIONS;
  return known.includes(command.action);
}

/** Returns true if a later command of the deployment has been carried out already, so that this one is obsolete. */
export function isOutdated(command: Command, known: Assignment | undefined): boolean {
  return known !== undefined && command.parameters.generation < known.generation;
}

/** The desired state of a command. Pure. */
export function desiredBy(command: KnownCommand, known: Assignment | undefined): DesiredState {
  const { generation, replicas, config, rolling = false } = command.parameters;
  const { action: cause, deployment_id: deploymentId } = command;
  const ends = cause === 'stop' || cause === 'kill';
  const startGeneration = cause === 'deploy' || cause === 'restart' ? generation : known?.startGeneration;
  return {
    deploymentId,
    generation,
    startGeneration: startGeneration ?? generation,
    // a scale during a rolling restart does not hurry it
    rolling: cause === 'restart' ? rolling : cause === 'scale' && (known?.rolling ?? false),
    phase: cause === 'stop' ? 'stopped' : cause === 'kill' ? 'killed' : 'running',
    replicas: ends ? 0 : replicas,
    config: ends ? {} : JSON.parse(config),
    cause,
  };
}

/** The desired state of a running deployment after the runtime's own restart. */
export function desiredAgain(deploymentId: string, known: Assignment): DesiredState {
  const { generation, startGeneration, rolling = false, replicas, config } = known;
  return {
    deploymentId,
    generation,
    startGeneration,
    rolling,
    phase: 'running',
    replicas,
    config: JSON.parse(config),
    cause: 'resume',
  };
}

/** The part of a desired state that is stored. A killed deployment is removed. */
export function assignmentOf(
  desired: DesiredState,
  known: Assignment | undefined,
  config: string,
): Assignment | undefined {
  const { generation, startGeneration, rolling, phase, replicas } = desired;
  if (phase === 'killed') return undefined;
  return {
    generation,
    startGeneration,
    ...(rolling && { rolling }),
    phase,
    replicas,
    config: phase === 'running' ? config : '',
    observedGeneration: known ? reportedGeneration(known) : 0,
  };
}

/** A failure and a completion are reported with their generation; later reports must not have an older one. */
function reportedGeneration({ phase, generation, observedGeneration }: Assignment): number {
  return phase === 'failed' || phase === 'completed' ? generation : observedGeneration;
}
