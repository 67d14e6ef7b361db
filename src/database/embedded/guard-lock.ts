import pg from 'pg';
import { hasCode, reasonOf } from './embedded-postgres-error.js';

/** How to reach the server. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** The claim of one process on one cluster, held by a connection of its own for as long as the process lives. */
export interface GuardLock {
  /** Settles when the connection is gone, and the claim with it. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

export type GuardAttempt =
  | { readonly outcome: 'held'; readonly lock: GuardLock }
  /** Another process has the claim. */
  | { readonly outcome: 'taken' }
  /** The server answers that it is starting up, replaying its log, or shutting down. */
  | { readonly outcome: 'busy'; readonly reason: string }
  | { readonly outcome: 'unreachable'; readonly reason: string };

/** Any number will do that nothing else in this database uses as an advisory lock. */
const KEY = 7_238_914_650_237;

const CONNECT_TIMEOUT_MS = 5_000;

/** `cannot_connect_now` */
const BUSY = '57P03';

/** The part of a `pg` client that its types leave out. */
interface Held {
  readonly connection: { ref(): void; unref(): void };
}

/** One attempt to connect and to take the claim. Never throws. */
export async function tryGuardLock(connection: Connection): Promise<GuardAttempt> {
  const client = new pg.Client({
    ...connection,
    // neither PGSSLMODE nor PGOPTIONS of the surroundings is meant for this server
    ssl: false,
    options: '-c idle_session_timeout=0',
    application_name: 'agent-control-plane guard',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const lost = new Promise<void>((resolve) => {
    client.once('end', resolve);
    client.on('error', () => resolve());
  });
  const close = () => client.end().catch(() => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [KEY]);
    if (!rows[0]?.held) {
      await close();
      return { outcome: 'taken' };
    }
    const { connection: held } = client as unknown as Held;
    // the claim alone must not keep a finished process alive; its end, which somebody waits for, must
    held.unref();
    const release = () => {
      held.ref();
      return close();
    };
    return { outcome: 'held', lock: { lost, release } };
  } catch (error) {
    await close();
    const reason = reasonOf(error);
    return { outcome: hasCode(error, BUSY) ? 'busy' : 'unreachable', reason };
  }
}
