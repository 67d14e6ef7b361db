import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { Client, type QueryResultRow } from 'pg';
import { clusterConnection, TEMPLATE_DATABASE, withAdmin } from './cluster.mjs';

/** A migrated database for one suite. */
export interface TestDatabase {
  readonly target: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** Runs one statement directly, to check stored data and to move times. */
  query<Row extends QueryResultRow>(statement: string, parameters?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** @param template absent: the migrated one; `template0`: an empty database */
export async function createTestDatabase(template = TEMPLATE_DATABASE): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying its files costs half of writing its pages to the log. PostgreSQL 14 always does it, and has no option.
  const strategy = process.env.TEST_POSTGRES_VERSION === '14' ? '' : 'STRATEGY FILE_COPY';
  await withAdmin((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`));
  return testDatabaseAt({ ...clusterConnection(), database: name }, async () => {
    await withAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
  });
}

/**
 * An existing database, on a server that the suite manages.
 *
 * @param drop what to do with it at the end
 */
export function testDatabaseAt(target: TestDatabase['target'], drop: () => Promise<void>): TestDatabase {
  let client: Client | undefined;
  // concurrent statements wait for each other
  const oneAtATime = pLimit(1);
  return {
    target,
    query: (statement, parameters = []) =>
      oneAtATime(async () => {
        if (!client) {
          client = new Client(target);
          await client.connect();
        }
        return (await client.query(statement, parameters)).rows;
      }),
    async drop() {
      await client?.end();
      await drop();
    },
  };
}
