import type { PlayedApprovals } from './played-approvals.js';
import type { PlayedQueue } from './played-queue.js';
import type { PlayedRuns } from './played-runs.js';

export interface Deployment {
  readonly id: string;
  readonly createdAt: Date;
  status: string;
  replicas: number;
  generation: number;
}

export interface Identity {
  readonly agentId: string;
  readonly key: string;
}

export interface Conditions {
  /** The heartbeat interval in replies, in seconds. */
  intervalSeconds: number;
  /** Time after which an unacknowledged command is delivered again. */
  readonly leaseMs: number;
  /** Difference between the service's clock and the agent's. */
  readonly skewMs: number;
  /** True if replies have fields of a future version. */
  readonly hasNews: boolean;
  /** Number of polls that are answered empty at once, whatever their wait. */
  emptyPolls: number;
  /** True if the key is refused, as after its revocation. */
  refusesKey: boolean;
  /** True if the replies to heartbeats ask for a registration, until one comes. */
  asksToRegister: boolean;
  /** Maximum number of entries in a batch of logs; more are a 413. */
  mostEntries: number;
  /** A log message that the service refuses with a 422, wherever it is in a batch. */
  poison: string | null;
}

export const ORDINARY: Conditions = {
  intervalSeconds: 1,
  leaseMs: 3_000,
  skewMs: 0,
  hasNews: false,
  emptyPolls: 0,
  refusesKey: false,
  asksToRegister: false,
  mostEntries: 1_000,
  poison: null,
};

/** The state of the played service, from which it answers. */
export interface PlayedState {
  readonly identity: Identity;
  readonly conditions: Conditions;
  readonly queue: PlayedQueue;
  readonly runs: PlayedRuns;
  readonly approvals: PlayedApprovals;
  readonly deployments: ReadonlyMap<string, Deployment>;
  /** The heartbeat intervals in replies; milliseconds of the scenario, and seconds. */
  readonly intervals: { at: number; seconds: number }[];
  /** The replies that were stored under each `Idempotency-Key`. */
  readonly batches: Map<string, string>;
  /** Polls that began before this time are answered, empty; milliseconds of the scenario. */
  readonly pollsEndedAt: number;
  /** Milliseconds since the scenario began. */
  now(): number;
}
