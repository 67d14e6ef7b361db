import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { PrimaryClient } from './config/primary-client.js';
import { readDatabaseUrl, SettingsError } from './config/settings.js';
import { clientOptions } from './database/data-source-options.js';
import { isDatabaseUnavailable } from './database/database-errors.js';
import { migrate } from './database/migrate.js';
import { failureToOpen } from './database/usable-database.js';
import { entities, migrations } from './schema.js';
import { grantToServiceRole } from './service-role.js';

/** A separate program, for installations in which the service does not own its tables. */
const USAGE = `Usage: node dist/src/migrate.js [--service-role NAME] [--wait-seconds N]

Brings the schema of the database DATABASE_URL up to date, as the owner of its tables. Where that is the address of a
pooler, DATABASE_DIRECT_URL is the one of the server.

  --service-role NAME  then gives the role as which the service connects what it needs, and no more
  --wait-seconds N     waits so long for a database that is not there, or too busy (300)`;

const RETRY_MS = 500;

/** The command line can't be understood. */
class UsageError extends Error {}

function readOptions() {
  const options = {
    'service-role': { type: 'string' },
    'wait-seconds': { type: 'string', default: '300' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { 'service-role': serviceRole, 'wait-seconds': waitSeconds, help } = parseArgs({ options }).values;
    if (!/^\d{1,6}$/.test(waitSeconds)) throw new Error('--wait-seconds must be a whole number of seconds');
    return { serviceRole, waitSeconds: Number(waitSeconds), help };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Repeats the work while the database is down or starting, has no free connection, or a lock is taken. */
async function untilAvailable(work: () => Promise<void>, waitSeconds: number): Promise<void> {
  const end = Date.now() + waitSeconds * 1_000;
  for (let lastReason = ''; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() >= end) throw error;
      const reason = failureToOpen(error);
      if (reason !== lastReason) process.stderr.write(`Waiting for the database: ${reason}\n`);
      lastReason = reason;
      await delay(RETRY_MS);
    }
  }
}

async function main(): Promise<void> {
  const { serviceRole, waitSeconds, help } = readOptions();
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const target = { url: readDatabaseUrl() };
  await untilAvailable(() => migrate({ target, poolSize: 2, entities, migrations }), waitSeconds);
  if (serviceRole === undefined) return;
  const client = new PrimaryClient(clientOptions(target));
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
  if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${USAGE}\n`);
  else if (error instanceof SettingsError) process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`The database can't be migrated: ${failureToOpen(error)}\n`);
  process.exitCode = 1;
}
