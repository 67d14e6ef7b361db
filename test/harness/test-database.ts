import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { Client, type QueryResultRow } from 'pg';
import { clusterConnection, TEMPLATE_DATABASE, withAdmin } from './cluster.mjs';

/** A migrated database of a suite's own. */
export interface TestDatabase {
  readonly target: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** Runs one statement, for looking behind the service's back and for moving rows in time. */
  query<Row extends QueryResultRow>(statement: string, parameters?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** @param template absent: the migrated one; `template0`: an empty database */
export async function createTestDatabase(template = TEMPLATE_DATABASE): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying its files costs half of what writing its pages to the log does. PostgreSQL 14 knows no other way, and no option.
  const strategy = process.env.TEST_POSTGRES_VERSION === '14' ? '' : 'STRATEGY FILE_COPY';
  await withAdmin((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`));
  return testDatabaseAt({ ...clusterConnection(), database: name }, async () => {
    await withAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
  });
}

/**
 * A database that is there already, on a server of the suite's own say.
 *
 * @param drop does what is to be done with it at the end
 */
export function testDatabaseAt(target: TestDatabase['target'], drop: () => Promise<void>): TestDatabase {
  let client: Client | undefined;
  // statements that are asked for at once wait for each other
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
