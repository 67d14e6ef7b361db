/**
 * The kinds of requests, each with its own concurrency limit, so that none delays another: a flood of logs no
 * heartbeats, and a storm of logins no other requests. As a share of `MAX_REQUESTS_IN_FLIGHT`.
 */
export const CONCURRENCY_SHARES = {
  /** Heartbeats, polls, acknowledgements: the calls that keep an agent alive. */
  runtimes: 1,
  /** Registrations, logs and metrics. */
  bulk: 1,
  /** Requests of people and their programs. */
  people: 1,
  /** Requests without a credential: logins, each of which takes a tenth of a second of one core, and forms. */
  open: 0.25,
} as const;

export type RequestKind = keyof typeof CONCURRENCY_SHARES;
