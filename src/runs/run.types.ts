import type { RunStatus } from '../lifecycle/run-lifecycle.js';

/**
 * The origin of a run: a request, a schedule, its own agent, or the spans of a trace that belongs to no other run.
 */
export const RUN_SOURCES = ['api', 'schedule', 'agent', 'trace'] as const;
export type RunSource = (typeof RUN_SOURCES)[number];

/** Orders of a list of runs: the newest first, or the oldest. */
export const RUN_SORTS = ['-created', 'created'] as const;
export type RunSort = (typeof RUN_SORTS)[number];

/** How far a run is, in its agent's words. */
export interface RunProgress {
  readonly percent?: number;
  readonly message?: string;
}

/** Maximum size of an input and of an output, as JSON in the form of the database; bytes. */
export const MAXIMUM_VALUE_BYTES = 256 * 1024;
/** Maximum length of an error and of the reason of a cancellation or a wait; characters. */
export const MAXIMUM_ERROR = 8_192;
export const MAXIMUM_REASON = 1_000;

/** The rules by which a run is begun, ended by time and begun again. */
export interface RunRules {
  readonly priority: number;
  /** Null: it may take any time. */
  readonly timeoutSeconds: number | null;
  /** The earliest time of its start; null: at once. */
  readonly startAfter: Date | null;
  /** The time until which the run may wait in the queue; null: no limit. */
  readonly expiresAt: Date | null;
  readonly maxAttempts: number;
  readonly firstDelaySeconds: number;
  readonly retriesAbandoned: boolean;
}

/** The content of a run, which its agent works on. */
export interface RunContent {
  readonly input: unknown;
  readonly name: string | null;
  readonly labels: Record<string, string>;
  readonly conversationId: string | null;
}

/** The facts of a step besides the new status. Absent: the run keeps its values. */
export interface RunDetails {
  readonly output?: unknown;
  /** The run's error; also the message of the step. */
  readonly error?: string;
  /** The message of the step alone. */
  readonly message?: string;
  readonly progress?: RunProgress;
  readonly waitingReason?: string;
  readonly deployment?: { readonly id: string; readonly configVersion: number };
  readonly claimKey?: Buffer | null;
  /** By the agent's clock; the service's clock bounds it. */
  readonly endedAt?: Date;
  /** Pause before the run is given to a runtime; seconds. */
  readonly delaySeconds?: number;
}

/** The columns of a run for its followers. */
export interface RunState {
  readonly agentId: string;
  readonly projectId: string;
  readonly lastSequence: number;
  readonly progress: RunProgress | null;
  /** True if it ended so long ago that its agent has sent the last lines of its log. */
  readonly isOver: boolean;
}

/** The contents of an agent's queue, for a claim that waits and for a heartbeat. */
export interface RunQueueState {
  /** True if a run may be given to the agent now. */
  readonly isDue: boolean;
  /** Milliseconds until a run may be due; null: not before the queue changes. */
  readonly nextDueMs: number | null;
  /** Ids of the runs that the agent's runtime has. */
  readonly held: readonly string[];
  /** Ids of those that are to be ended early. */
  readonly toCancel: readonly string[];
  /** The claims that took the held runs, in hexadecimal. */
  readonly claimKeys: readonly string[];
}

/** The runs of one status that have not ended. */
export interface RunBacklog {
  readonly status: RunStatus;
  readonly count: number;
  /** For how long the first of them has been due; 0: it starts later. */
  readonly oldestSeconds: number;
  /** The longest time for which a due run has been queued while its agent was online; null: no agent with a due run is online. */
  readonly onlineSeconds: number | null;
}

/** An agent whose runs need attention. */
export interface RunsOfAgent {
  readonly agentId: string;
  readonly agentName: string;
  readonly count: number;
  /** The newest end of failed runs, or since when the oldest of those that wait has been due. */
  readonly at: string;
}

/** An agent of whose runs some have failed. */
export interface FailedRunsOfAgent extends RunsOfAgent {
  /** The newest of them. */
  readonly runId: string;
  /** True: a later run has succeeded. */
  readonly isOver: boolean;
  /** True: the agent itself fails or is missed. */
  readonly isFailing: boolean;
}

/** An agent whose runs fail. */
export interface FailingRunsOfAgent extends FailedRunsOfAgent {
  /** One line: what went wrong in the newest of them; null: nothing says it. */
  readonly error: string | null;
}
