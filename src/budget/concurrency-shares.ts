/**
 * The kinds of requests, each with a concurrency limit of its own, so that none waits behind another: a heartbeat not behind a flood
 * of logs, and nobody behind a storm of logins. As a share of `MAX_REQUESTS_IN_FLIGHT`.
 */
export const CONCURRENCY_SHARES = {
  /** Heartbeats, polls, acknowledgements: what an agent must get through to count as alive. */
  runtimes: 1,
  /** Registrations, logs and metrics. */
  bulk: 1,
  /** Requests of people and their programs. */
  people: 1,
  /** Requests without a credential: logins, of which each takes a tenth of a second of one core, and forms. */
  open: 0.25,
} as const;

export type RequestKind = keyof typeof CONCURRENCY_SHARES;
