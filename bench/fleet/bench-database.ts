import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg, { type QueryResultRow } from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.js';

/** The database of one run, dropped at its end. */
export class BenchDatabase {
  private constructor(
    /** The address, as `DATABASE_URL` takes it. */
    readonly url: string,
    private readonly pool: pg.Pool,
    private readonly remove: () => Promise<void>,
  ) {}

  /** @param serverUrl a PostgreSQL that runs; absent: one is started, with its default durability */
  static async open(serverUrl?: string): Promise<BenchDatabase> {
    const server = serverUrl ? { url: serverUrl, stop: async () => undefined } : await startServer();
    const name = `fleet_${randomBytes(6).toString('hex')}`;
    try {
      await run(server.url, `CREATE DATABASE ${name}`);
    } catch (error) {
      await server.stop();
      throw error;
    }
    const url = named(server.url, name);
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    // The statement of a lost connection fails. An `error` event that nobody listens to would end the process as well.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new BenchDatabase(url, pool, async () => {
      // a run that is interrupted still has statements under way, and the pool would wait for them
      await run(server.url, `DROP DATABASE ${name} WITH (FORCE)`);
      await pool.end();
      await server.stop();
    });
  }

  query = async <Row extends QueryResultRow>(statement: string, parameters: unknown[] = []): Promise<Row[]> =>
    (await this.pool.query<Row>(statement, parameters)).rows;

  /** A process of the server, where the server is on this machine. */
  async backendPid(): Promise<number> {
    const [row] = await this.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return row?.pid ?? 0;
  }

  async close(): Promise<void> {
    await this.remove();
  }
}

/**
 * Vacuums as after days of normal use; autovacuum would do it in the middle of a measurement. Leaves out the tables that are
 * empty: PostgreSQL would plan as for one that it knows to be empty until it analyses it again, up to a minute, in which it
 * reads each table whole. Nobody vacuums a table to which nothing was ever written.
 */
export async function vacuumFilled({ query }: Pick<BenchDatabase, 'query'>): Promise<void> {
  const [filled] = await query<{ names: string }>(
    `SELECT string_agg(oid::regclass::text, ', ') AS names FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`,
  );
  await query(`VACUUM ANALYZE ${filled!.names}`);
}

async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'control-plane-fleet-'));
  // PostgreSQL does not run as root: the user that it runs as has to pass.
  await chmod(dataDir, 0o711);
  let server: EmbeddedPostgres;
  try {
    server = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
  return {
    url: socketUrl(server.connection),
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The address of a server on a Unix socket, as `DATABASE_URL` has it. */
export function socketUrl(target: { host: string; port: number; user: string; database: string }): string {
  return `postgres://${target.user}@localhost:${target.port}/${target.database}?host=${encodeURIComponent(target.host)}`;
}

function named(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
