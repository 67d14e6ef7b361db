/**
 * The share of each kind of work in the connections to PostgreSQL. Each kind has its own pool, so that none can take
 * the connections of another: a person's searches never delay a heartbeat, and a flood of heartbeats never delays a
 * person's stop. `docs/budget.md` describes which request uses which pool, when, and when it returns the connection.
 */
export const POOL_NAMES = ['runtimes', 'people', 'searches', 'background'] as const;
export type PoolName = (typeof POOL_NAMES)[number];

/** Shares of `DATABASE_POOL_SIZE`. The runtimes get the remainder of rounding. */
const SHARES: Readonly<Record<PoolName, number>> = {
  /** Registrations, heartbeats, commands, acknowledgements, logs and metrics. */
  runtimes: 0.4,
  /** Reads and changes by people and their programs. */
  people: 0.3,
  /** Reads whose cost grows with the data: searching, counting, skipping far. */
  searches: 0.15,
  /** The monitor, the dispatcher of webhooks, retention. */
  background: 0.15,
};

/**
 * @param total connections of this instance, at least 4
 * @returns the size of each pool, at least 1; together exactly `total`
 */
export function poolSizes(total: number): Readonly<Record<PoolName, number>> {
  const sizeOf = (name: PoolName) => Math.max(1, Math.floor(total * SHARES[name]));
  const others = { people: sizeOf('people'), searches: sizeOf('searches'), background: sizeOf('background') };
  const runtimes = total - others.people - others.searches - others.background;
  return { runtimes, ...others };
}

/**
 * Maximum time that a request waits for a free connection of its pool before it is answered with 503; milliseconds. In
 * the queue of its owner's transactions it may wait longer by the lock timeout of a statement.
 */
export const CONNECTION_WAIT_MS = 5_000;
/**
 * Maximum time that a statement may work, in addition to its wait for a lock; then it is cancelled, and its request
 * returns 503; milliseconds. Runtimes wait 15 s for a reply, and a heartbeat may wait for the group before its own:
 * even then it is answered in time. Searches have a separate setting.
 */
export const STATEMENT_WORK_MS: Readonly<Record<Exclude<PoolName, 'searches'>, number>> = {
  runtimes: 2_000,
  people: 5_000,
  background: 12_000,
};
/**
 * Share of a pool that the transactions of one project may take: the rest serves the others while its rows are
 * locked for long.
 */
export const SHARE_OF_ONE_OWNER = 3 / 4;

/**
 * Maximum number of transactions of a pool that wait for their turn. Each of them has a slot of its kind of requests: with all
 * slots waiting, heartbeats and polls, which need no turn, would be refused as well.
 *
 * @param slots of a kind of requests, `MAX_REQUESTS_IN_FLIGHT`
 */
export function waitingTransactions(slots: number): { readonly ofOneUser: number; readonly ofAll: number } {
  return { ofOneUser: Math.ceil(slots / 2), ofAll: Math.ceil((slots * 3) / 4) };
}
