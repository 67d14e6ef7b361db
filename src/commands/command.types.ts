import type { ServerResponse } from 'node:http';
import type { CommandAction } from '../lifecycle/deployment-lifecycle.js';

export const COMMAND_STATES = ['pending', 'leased', 'succeeded', 'failed', 'dead', 'superseded'] as const;

/** `pending` and `leased` are waiting; the others are settled, for good but for `dead`: a late reply is kept. */
export type CommandState = (typeof COMMAND_STATES)[number];

/** All that a runtime needs to carry a command out, but for the config, which its deployment names. */
export interface CommandParameters {
  readonly deployment_id: string;
  readonly generation: number;
  readonly replicas: number;
  /** Trace of the request that made it; absent where that was not traced. */
  readonly traceparent?: string;
}

export interface NewCommand {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string;
  readonly deploymentId: string;
  readonly sequence: number;
  readonly generation: number;
  readonly action: CommandAction;
  readonly parameters: CommandParameters;
}

/** The effects of a new command besides its row. */
export interface Enqueued {
  /** False where as many commands waited as may wait. */
  readonly isInserted: boolean;
  /** How many older commands it has replaced. */
  readonly superseded: number;
}

/** A command that nobody has answered for longer counts as waiting; seconds. */
export const WAITING_SECONDS = 60;

/** A command that nobody has answered yet. */
export interface WaitingCommand {
  readonly id: string;
  readonly action: CommandAction;
  readonly agentId: string;
  readonly agentName: string;
  readonly deploymentId: string;
  readonly createdAt: string;
}

export interface WaitingCommands {
  readonly total: number;
  readonly oldest: readonly WaitingCommand[];
}

/** A command in its runtime's hands. */
export interface LeasedCommand {
  readonly id: string;
  readonly action: CommandAction;
  readonly deploymentId: string;
  readonly parameters: CommandParameters;
  /** The config that the deployment was made with, as it is stored. */
  readonly storedConfig: string;
  readonly configVersion: number;
  readonly attempt: number;
  readonly createdAt: string;
  readonly leasedUntil: string;
}

/** The state of an agent's queue, for a poll to which nothing could be delivered. */
export interface QueueState {
  readonly waiting: number;
  /** Milliseconds until the first lease ends; null when nothing is leased. */
  readonly nextDueMs: number | null;
}

export interface CommandReply {
  readonly success: boolean;
  readonly result: unknown;
  readonly error: string | null;
}

/** A command as people see it: what became of it, or why it still waits. */
export interface CommandRecord {
  readonly id: string;
  readonly agentId: string;
  readonly deploymentId: string;
  readonly generation: number;
  readonly action: CommandAction;
  readonly state: CommandState;
  readonly attempts: number;
  readonly result: unknown;
  readonly error: string | null;
  readonly createdAt: string;
  readonly leasedAt: string | null;
  readonly leasedUntil: string | null;
  readonly acknowledgedAt: string | null;
  readonly settledAt: string | null;
  /** An earlier command of the deployment is not settled yet. */
  readonly hasPredecessor: boolean;
  /** Id of the key that seals the config to deliver; null where it is in clear, or nothing is to be delivered any more. */
  readonly keyOfConfig: string | null;
}

/** The commands of one state that are not settled yet. */
export interface CommandBacklog {
  readonly state: CommandState;
  readonly count: number;
  /** Age of the oldest. */
  readonly oldestSeconds: number;
}

/** The caller of a poll. It may disconnect or lose its authorization while it waits, so both are checked again. */
export interface PollCaller {
  /** Nothing is leased once it is closed (its caller has disconnected), because nobody would receive it. */
  readonly reply: Pick<ServerResponse, 'closed' | 'on'>;
  /** Throws the error that a request with the same credential would be refused with now. */
  readonly assertAllowed: () => Promise<void>;
  /** Takes the commands that the poll has found. */
  answer(commands: readonly LeasedCommand[]): void;
  /** Takes the error that the poll has ended with, also one that {@link PollCaller.answer} has thrown. */
  readonly fail: (error: unknown) => void;
}
