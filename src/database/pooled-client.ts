import { connect } from 'node:net';
import { join } from 'node:path';
import type { Client, QueryConfig, QueryResult } from 'pg';
import { READ_ONLY, StandbyError } from '../config/primary-client.js';

export interface PooledClientOptions {
  /** False if the next statement of a client may use another connection to the server. */
  readonly namesStatements: boolean;
  /** Time within which a live server answers a statement; milliseconds. */
  readonly timeoutMs: number;
}

/** Timeout of a request to cancel a statement; milliseconds. */
const CANCEL_MS = 1_000;

/** The function of PostgreSQL that waits for a synchronous standby. It is named in each message, in whatever language that is. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';

/** A COMMIT has taken place on the primary, and may be lost in a failover; answered with 503. */
class UnreplicatedError extends Error {
  /** PostgreSQL's code for "transaction resolution unknown". */
  readonly code = '08007';

  constructor() {
    super('The synchronous standby did not confirm the transaction in time');
  }
}

type CallBack = (error: Error | null, result?: QueryResult) => void;

/**
 * Prepares a connection of a pool, before its first use, so that it is closed if a statement is not answered in time.
 * `pg` has a time limit too, but leaves the connection in the pool, where it fails every later statement.
 *
 * @throws StandbyError
 */
export async function prepareClient(client: Client, options: PooledClientOptions): Promise<void> {
  // The connection's statements fail; an error event without a listener would end the process.
  client.on('error', () => undefined);
  let isUnreplicated = false;
  // When the time of a COMMIT is over, PostgreSQL warns that the standby lacks it, and calls it a success.
  client.on('notice', ({ routine }) => {
    isUnreplicated ||= routine === WAIT_FOR_STANDBY;
  });
  const send = client.query.bind(client) as (statement: unknown, values?: unknown[]) => Promise<QueryResult>;
  const ask = async (statement: string | QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    let end: Promise<void> | undefined;
    const timer = setTimeout(() => {
      end = giveUp(client);
    }, options.timeoutMs);
    try {
      const result = await send(options.namesStatements ? statement : withoutName(statement), values);
      if (!isUnreplicated) return result;
      isUnreplicated = false;
      throw new UnreplicatedError();
    } catch (error) {
      // The server has become a standby, so the pool must reconnect, to the new primary.
      if ((error as { code?: unknown }).code === READ_ONLY) void client.end();
      throw error;
    } finally {
      clearTimeout(timer);
      await end;
    }
  };
  client.query = ((statement: string | QueryConfig, values?: unknown[], callBack?: CallBack) => {
    const answer = ask(statement, values);
    if (!callBack) return answer;
    // The pool's own `query`, which the library that counts requests uses.
    answer.then((result) => callBack(null, result), callBack);
  }) as Client['query'];
  await requirePrimary(client);
}

/** @returns the time of the server, in milliseconds since 1970 @throws StandbyError */
export async function requirePrimary(client: Pick<Client, 'query'>): Promise<number> {
  const { rows } = await client.query<{ standby: boolean; now: number }>(
    'SELECT pg_is_in_recovery() AS standby, extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
  );
  const { standby, now } = rows[0]!;
  if (standby) throw new StandbyError();
  return now;
}

/**
 * Closes a connection on which a statement is under way, and cancels the statement. The server notices a closed
 * connection only when it sends the answer: a COMMIT that waits for an absent synchronous standby would keep its place
 * for ever.
 */
export async function giveUp(client: Client): Promise<void> {
  // The connection is closed last, because a pooler then forgets the statement.
  await cancel(client as Client & BackendKey);
  // The message is that of `pg` for its own timeout.
  client.connection.stream.destroy(new Error('Query read timeout'));
  // The pool does not use the connection from here on.
  void client.end();
}

/** The server's identifiers of a connection, which `@types/pg` omits. */
interface BackendKey {
  readonly processID: number;
  readonly secretKey: number;
}

/** Resolves when the server has forwarded the request, or can't be reached. `pg` has no such call that can fail. */
function cancel({ host, port, processID, secretKey }: Client & BackendKey): Promise<void> {
  // CancelRequest: https://www.postgresql.org/docs/current/protocol-message-formats.html
  const request = Buffer.alloc(16);
  [16, 80_877_102, processID, secretKey].forEach((value, index) => request.writeInt32BE(value, 4 * index));
  const socket = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
  socket.setTimeout(CANCEL_MS, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.resume().write(request);
  return new Promise((resolve) => socket.on('close', () => resolve()));
}

/** The statement without its name, so that it is parsed on the connection that runs it. */
function withoutName(statement: string | QueryConfig): string | QueryConfig {
  return typeof statement === 'string' ? statement : { ...statement, name: undefined };
}
