/**
 * The share of each kind of work in the connections to PostgreSQL. Each kind of work has a pool of its own, so that none of them can
 * take another one's: a person's searches never delay a heartbeat, and a flood of heartbeats never a person's stop.
 * `docs/budget.md` says which request uses which pool, when, and when it gives the connection back.
 */
export const POOL_NAMES = ['runtimes', 'people', 'searches', 'background'] as const;
export type PoolName = (typeof POOL_NAMES)[number];

/** Shares of `DATABASE_POOL_SIZE`. The rest that rounding leaves goes to the runtimes. */
const SHARES: Readonly<Record<PoolName, number>> = {
  /** Registrations, heartbeats, commands, acknowledgements, logs and metrics. */
  runtimes: 0.4,
  /** Reads and changes of people and their programs. */
  people: 0.3,
  /** Reads whose cost grows with what there is: searching, counting, skipping far. */
  searches: 0.15,
  /** The monitor, the dispatcher of webhooks, retention. */
  background: 0.15,
};

/**
 * @param total connections of this instance, at least 4
 * @returns for each pool its size, at least 1; together exactly `total`
 */
export function poolSizes(total: number): Readonly<Record<PoolName, number>> {
  const sizeOf = (name: PoolName) => Math.max(1, Math.floor(total * SHARES[name]));
  const others = { people: sizeOf('people'), searches: sizeOf('searches'), background: sizeOf('background') };
  const runtimes = total - others.people - others.searches - others.background;
  return { runtimes, ...others };
}

/**
 * How long a request may wait for a free connection of its pool before it is answered with 503; milliseconds. For its turn
 * among its owner's transactions it waits longer by as much as a statement waits for a lock.
 */
export const CONNECTION_WAIT_MS = 5_000;
/**
 * How long a statement may work, beside the time in which it waits for a lock; then it is ended, and its request is a
 * 503; milliseconds. Runtimes wait 15 s for an answer, and a heartbeat may wait for the group before its own: even then
 * they must have been answered. Searches have a setting of their own.
 */
export const STATEMENT_WORK_MS: Readonly<Record<Exclude<PoolName, 'searches'>, number>> = {
  runtimes: 2_000,
  people: 5_000,
  background: 12_000,
};
/** How many transactions may wait for each connection of their owner's share, and for each of all. */
export const WAITING_TRANSACTIONS = { ofOneUser: 1_000, ofAll: 4_000 };
