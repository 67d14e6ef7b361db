import type { DatabaseTarget } from '../../src/database/data-source-options.js';
import { PostgresDatabase } from '../../src/database/postgres-database.js';
import { migrations } from '../../src/schema-migrations.js';
import { entities } from '../../src/schema.js';

/** Begins to open a database as an instance of the service does. @param lines collects what it logs */
export function openDatabase(target: DatabaseTarget, lines: string[]): PostgresDatabase {
  const database = new PostgresDatabase({
    poolSize: 4,
    searchTimeoutMs: 1_000,
    lockTimeoutMs: 1_000,
    requestsInFlight: 300,
    servesApi: true,
    entities,
    migrations,
    locate: () => Promise.resolve(target),
    log: (line) => void lines.push(line),
  });
  database.open();
  return database;
}
