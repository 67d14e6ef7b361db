import { Client, type ClientConfig } from 'pg';

/** Message of `pg` when `query_timeout` has passed. */
const QUERY_TIMED_OUT = 'Query read timeout';

/**
 * A connection on which statements are sent without waiting for the answer to the one before: the server runs them in their
 * order. Those of one turn of the event loop are one write, because a write costs as much as a small statement.
 *
 * It is given up once a statement was not answered in time. `pg` itself would leave it in the pool for a moment, and for
 * whoever gets it then every statement fails.
 */
export class PooledClient extends Client {
  constructor(config: ClientConfig | undefined, namesStatements: boolean) {
    super({ ...config, pipeline: true });
    const send = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((statement: unknown, ...given: unknown[]) => {
      const { stream } = this.connection;
      stream.cork();
      process.nextTick(() => stream.uncork());
      const result = send(namesStatements ? statement : withoutName(statement), ...given);
      if (result instanceof Promise) result.catch((error: unknown) => this.giveUpAfter(error));
      return result;
    }) as Client['query'];
  }

  /** Ends it at once, whatever is under way. */
  cut(): void {
    // From here on the pool lends it to nobody.
    void this.end().catch(() => undefined);
    this.connection.stream.destroy();
  }

  private giveUpAfter(error: unknown): void {
    if ((error as Error).message === QUERY_TIMED_OUT) this.cut();
  }
}

/** A class for one pool, as `pg` takes it, and the connections of that pool: closing the pool may have to cut them. */
export interface PoolClients {
  readonly Client: new (config?: ClientConfig) => Client;
  readonly clients: ReadonlySet<PooledClient>;
}

/** @param options.namesStatements false where the next statement of a client may reach another connection of the server */
export function pooledClientClass(options: { readonly namesStatements: boolean }): PoolClients {
  const clients = new Set<PooledClient>();
  class ClientOfPool extends PooledClient {
    constructor(config?: ClientConfig) {
      super(config, options.namesStatements);
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
