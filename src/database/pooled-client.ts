import { Client, type ClientConfig } from 'pg';

/** Message of `pg` when `query_timeout` has passed. */
const QUERY_TIMED_OUT = 'Query read timeout';

/**
 * A connection that is given up once a statement on it was not answered in time. `pg` itself would leave it in the
 * pool, where every statement after it waits behind the one that hangs: for ever, when the network or the server's
 * machine has gone without a word.
 */
class PooledClient extends Client {
  constructor(config: ClientConfig | undefined, namesStatements: boolean) {
    super(config);
    const send = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((statement: unknown, ...given: unknown[]) => {
      const result = send(namesStatements ? statement : withoutName(statement), ...given);
      if (result instanceof Promise) result.catch((error: unknown) => this.giveUpAfter(error));
      return result;
    }) as Client['query'];
  }

  private giveUpAfter(error: unknown): void {
    // With a statement under way, this cuts the connection instead of waiting for the server's goodbye.
    if ((error as Error).message === QUERY_TIMED_OUT) void this.end().catch(() => undefined);
  }
}

/** A class for one pool, as `pg` takes it, and the connections of that pool: closing the pool may have to cut them. */
export interface PoolClients {
  readonly Client: new (config?: ClientConfig) => Client;
  readonly clients: ReadonlySet<Client>;
}

/** @param options.namesStatements false where the next statement of a client may reach another connection of the server */
export function pooledClientClass(options: { readonly namesStatements: boolean }): PoolClients {
  const clients = new Set<Client>();
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
