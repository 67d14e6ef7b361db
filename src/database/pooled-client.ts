import type { Writable } from 'node:stream';
import { Client, type ClientConfig, type QueryResult } from 'pg';

type Settle = (error: Error | null, result?: QueryResult) => void;
type Send = (statement: unknown, values: unknown[] | undefined, settle: Settle) => void;

export interface PooledClientOptions {
  /** False where the next statement of a client may reach another connection of the server. */
  readonly namesStatements: boolean;
  /** In which a statement is answered by a server that lives. */
  readonly timeoutMs: number;
}

/**
 * A connection on which statements are sent without waiting for the answer to the one before: the server runs them in their
 * order. Those of one turn of the event loop are one write, because a write costs as much as a small statement.
 *
 * It is given up once a statement was not answered in time. `pg` itself would leave it in the pool for a moment, and for
 * whoever gets it then every statement fails. With the promises or the timeouts of `pg`, V8 keeps all that was read until it
 * collects the whole heap (docs/decisions/0087).
 */
export class PooledClient extends Client {
  private readonly send: Send;

  constructor(
    config: ClientConfig | undefined,
    private readonly options: PooledClientOptions,
  ) {
    super({ ...config, pipeline: true });
    // Its statements fail; an event that nobody listens to would end the process.
    this.on('error', () => undefined);
    this.send = this.query.bind(this) as Send;
    this.query = ((statement: unknown, values?: unknown[] | Settle, settle?: Settle) => {
      const callBack = typeof values === 'function' ? values : settle;
      const asked = this.ask(statement, typeof values === 'function' ? undefined : values);
      if (!callBack) return asked;
      asked.then((result) => callBack(null, result), callBack);
    }) as Client['query'];
  }

  /** Ends it at once, whatever is under way. */
  cut(): void {
    const { stream } = this.connection;
    // Statements that were sent together run out of time together.
    if (stream.destroyed) return;
    // From here on the pool lends it to nobody.
    void this.end().catch(() => undefined);
    stream.destroy();
  }

  private async ask(statement: unknown, values: unknown[] | undefined): Promise<QueryResult> {
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(uncork, stream);
    try {
      return await new Promise((resolve, reject) => {
        const timer = setTimeout(giveUp, this.options.timeoutMs, this, reject);
        this.send(
          this.options.namesStatements ? statement : withoutName(statement),
          values,
          (error, result) => {
            clearTimeout(timer);
            if (error) reject(error);
            else resolve(result!);
          },
        );
      });
    } catch (error) {
      // The stack that it has leads to the socket, this one to who asked.
      Error.captureStackTrace(error as Error);
      throw error;
    }
  }
}

function uncork(stream: Writable): void {
  stream.uncork();
}

/** The message is that of `pg` for its own timeout. */
function giveUp(client: PooledClient, reject: (error: Error) => void): void {
  reject(new Error('Query read timeout'));
  client.cut();
}

/** A class for one pool, as `pg` takes it, and the connections of that pool: closing the pool may have to cut them. */
export interface PoolClients {
  readonly Client: new (config?: ClientConfig) => Client;
  readonly clients: ReadonlySet<PooledClient>;
}

export function pooledClientClass(options: PooledClientOptions): PoolClients {
  const clients = new Set<PooledClient>();
  class ClientOfPool extends PooledClient {
    constructor(config?: ClientConfig) {
      super(config, options);
      clients.add(this);
      this.once('end', () => clients.delete(this));
    }
  }
  return { Client: ClientOfPool, clients };
}

/** A statement without a name is parsed where it runs. */
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || !('name' in statement)) return statement;
  return { ...statement, name: undefined };
}
