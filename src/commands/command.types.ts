import type { CommandAction } from '../lifecycle/deployment-lifecycle.js';

export const COMMAND_STATES = ['pending', 'leased', 'succeeded', 'failed', 'dead', 'superseded'] as const;

/**
 * `pending` and `leased` are waiting; the others are settled, finally except for `dead`: a late reply is still
 * recorded.
 */
export type CommandState = (typeof COMMAND_STATES)[number];

/** The data that a runtime needs to carry a command out, without the config of its deployment. */
export interface CommandParameters {
  readonly deployment_id: string;
  readonly generation: number;
  readonly replicas: number;
  /** Present in a rolling `restart`, which replaces the replicas one after another. */
  readonly rolling?: true;
  /** Trace of the request that created it; absent if that was not traced. */
  readonly traceparent?: string;
}

export interface NewCommand {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly deploymentId: string;
  readonly sequence: number;
  readonly generation: number;
  readonly action: CommandAction;
  readonly parameters: CommandParameters;
}

/** The effects of a new command besides its row. */
export interface Enqueued {
  /** False if the maximum number of commands waited already. */
  readonly isInserted: boolean;
  /** Number of older commands that it has replaced. */
  readonly superseded: number;
}

/** A command that was delivered to its runtime under a lease. */
export interface LeasedCommand {
  readonly id: string;
  readonly action: CommandAction;
  readonly deploymentId: string;
  readonly parameters: CommandParameters;
  /** The config of the deployment, in its stored form. */
  readonly storedConfig: string;
  readonly configVersion: number;
  readonly attempt: number;
  readonly createdAt: string;
  readonly leasedUntil: string;
}

/** Result of a poll. */
export interface Delivery {
  readonly commands: readonly LeasedCommand[];
  /** Milliseconds until a lease ends and more may be due; null when nothing is leased. */
  readonly nextDueMs: number | null;
}

/** The state of an agent's queue, for a poll without deliverable commands. */
export interface QueueState {
  readonly waiting: number;
  /** Milliseconds until the first lease ends; null without leases. */
  readonly nextDueMs: number | null;
}

export interface CommandReply {
  readonly success: boolean;
  readonly result: unknown;
  readonly error: string | null;
}

/** A command as the API returns it, with its outcome, or the reason why it still waits. */
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
  /** True if an earlier command of the deployment is not settled yet. */
  readonly hasPredecessor: boolean;
  /** Id of the key that seals the config to deliver; null where it is in clear, or nothing is to be delivered any more. */
  readonly keyOfConfig: string | null;
}

/** The unsettled commands of one state. */
export interface CommandBacklog {
  readonly state: CommandState;
  readonly count: number;
  /** Age of the oldest one. */
  readonly oldestSeconds: number;
  /** The longest time for which one has waited while its agent was online; null: no such agent is online. */
  readonly onlineSeconds: number | null;
}
