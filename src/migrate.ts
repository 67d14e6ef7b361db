import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { readDatabaseUrl, SettingsError } from './config/settings.js';
import { clientOptions } from './database/data-source-options.js';
import { migrate } from './database/migrate.js';
import { entities, migrations } from './schema.js';
import { grantToServiceRole } from './service-role.js';

/** A program of its own, for installations in which the service does not own its tables. */
const USAGE = `Usage: node dist/src/migrate.js [--service-role NAME]

Brings the schema of the database DATABASE_URL up to date, as the owner of its tables.

  --service-role NAME  then gives the role as which the service connects what it needs, and no more`;

/** The command line can't be understood. */
class UsageError extends Error {}

function readOptions() {
  const options = { 'service-role': { type: 'string' }, help: { type: 'boolean', default: false } } as const;
  try {
    const { 'service-role': serviceRole, help } = parseArgs({ options }).values;
    return { serviceRole, help };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function main(): Promise<void> {
  const { serviceRole, help } = readOptions();
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const target = { url: readDatabaseUrl() };
  await migrate({ target, poolSize: 2, entities, migrations });
  if (serviceRole === undefined) return;
  const client = new Client(clientOptions(target));
  await client.connect();
  try {
    await grantToServiceRole(client, serviceRole);
  } finally {
    await client.end();
  }
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) process.stderr.write(`${message}\n\n${USAGE}\n`);
  else if (error instanceof SettingsError) process.stderr.write(`${message}\n`);
  else process.stderr.write(`The database can't be migrated: ${message}\n`);
  process.exitCode = 1;
}
