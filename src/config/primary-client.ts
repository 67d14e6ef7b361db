import { Client, type ClientConfig } from 'pg';
import { serverAddresses, serverName } from './database-address.js';

/** PostgreSQL's code for a write on a standby: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const READ_ONLY = '25006';
/** Class of SQLSTATE "insufficient resources": the server is there, and has no room for another connection. */
const FULL = /^53/;
/** A server without an answer for this long counts as gone; milliseconds. */
const ANSWER_MS = 3_000;

/** The address leads to a standby, on which every write would fail; answered with 503. */
export class StandbyError extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('The server is a standby, which accepts no writes');
  }
}

/** No server of an address takes writes; answered with 503. */
class NoPrimaryError extends Error {
  readonly code: string;

  /** @param refusals one of each server */
  constructor(
    addresses: readonly string[],
    refusals: readonly { readonly message: string; readonly code?: unknown }[],
  ) {
    const codes = refusals.map(({ code }) => String(code));
    // A name of several addresses, none of which answers, has a code and no message.
    const reasons = refusals.map(
      ({ message }, at) => `${serverName(addresses[at]!)}: ${message || codes[at]}`,
    );
    super(`None of the servers is the primary (${reasons.join('; ')})`);
    // A primary that has no room for a connection is not away.
    this.code = codes.find((code) => FULL.test(code)) ?? READ_ONLY;
  }
}

/** A server of an address that names several. */
interface Server {
  /** Address that names this server only. */
  readonly address: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Asks a server whether it takes writes.
 *
 * @param address names this server only
 * @throws StandbyError
 */
export async function askForPrimary(address: string, config: ClientConfig): Promise<Server> {
  const client = new Client({
    ...config,
    connectionString: address,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  // The call under way fails, so this event needs no handling.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    if (rows[0]!.standby) throw new StandbyError();
    return { address, host: client.host, port: client.port };
  } finally {
    void client.end().catch(() => undefined);
  }
}

/**
 * The search for the primary among the servers of an address. All connections of the process to that address share it,
 * because a cache that is current by the notifications of one server must not be filled from another one.
 */
class PrimarySearch {
  private static readonly byAddress = new Map<string, PrimarySearch>();
  private last: Server | undefined;
  private found: Promise<Server> | undefined;
  private readonly clients = new Set<PrimaryClient>();

  private constructor(private readonly addresses: readonly string[]) {}

  /** @returns undefined if the address names one server */
  static of(address: string): PrimarySearch | undefined {
    const addresses = serverAddresses(address);
    if (addresses.length === 1) return undefined;
    const search = this.byAddress.get(address) ?? new PrimarySearch(addresses);
    this.byAddress.set(address, search);
    return search;
  }

  /** @throws NoPrimaryError */
  find(config: ClientConfig): Promise<Server> {
    this.found ??= this.ask(config).catch((error: unknown) => {
      this.found = undefined;
      throw error;
    });
    return this.found;
  }

  /** Until the connection ends, it is closed if another server is found. */
  keep(client: PrimaryClient): void {
    this.clients.add(client);
    client.connection.once('end', () => {
      this.clients.delete(client);
      // The server may be gone, or a standby from now on.
      if (isSame(client, this.last)) this.found = undefined;
    });
  }

  /** The servers are asked all at once, so that one without an answer delays nothing. */
  private async ask(config: ClientConfig): Promise<Server> {
    const asked = new Map(this.addresses.map((address) => [address, askForPrimary(address, config)]));
    const first = Promise.any(asked.values()).catch(({ errors }: AggregateError) => {
      throw new NoPrimaryError(this.addresses, errors as Error[]);
    });
    first.catch(() => undefined);
    // A former primary that comes back and still takes writes is not chosen over the one in use.
    const inUse = this.last && asked.get(this.last.address);
    const server = await (inUse?.catch(() => first) ?? first);
    this.last = server;
    for (const client of this.clients) if (!isSame(client, server)) client.leave();
    return server;
  }
}

function isSame(one: Pick<Server, 'host' | 'port'>, other: Pick<Server, 'host' | 'port'> | undefined) {
  return one.host === other?.host && one.port === other.port;
}

/**
 * A connection to the primary among the servers of an address that names several; `pg` itself takes one. An address of
 * one server is taken as it is.
 */
export class PrimaryClient extends Client {
  private readonly search: PrimarySearch | undefined;

  constructor(private readonly config: ClientConfig) {
    const search = PrimarySearch.of(config.connectionString ?? '');
    super(search ? { ...config, connectionString: serverAddresses(config.connectionString!)[0] } : config);
    this.search = search;
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    if (!this.search) return callback ? super.connect(callback) : super.connect();
    const connected = this.connectTo(this.search);
    if (!callback) return connected;
    connected.then(() => (callback as () => void)(), callback);
  }

  /** Ends the connection at once, because another server is the primary. */
  leave(): void {
    this.connection.stream.destroy(new Error('Connection terminated: another server is the primary'));
  }

  private async connectTo(search: PrimarySearch): Promise<Client> {
    const { host, port } = await search.find(this.config);
    // A pool ends a connection that takes too long in this way.
    if (this.connection.stream.destroyed) throw new Error('timeout expired');
    Object.assign(this, { host, port });
    search.keep(this);
    return super.connect();
  }
}
