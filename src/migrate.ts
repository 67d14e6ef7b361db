import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readDatabaseUrl, readTelemetryDatabaseUrl, SettingsError } from './config/settings.js';
import { withClient } from './config/with-client.js';
import { unlimitedClientOptions } from './database/data-source-options.js';
import { isDatabaseUnavailable } from './database/database-errors.js';
import { migrate } from './database/migrate.js';
import { failureToOpen, type UrlSetting } from './database/usable-database.js';
import { distributeTelemetry, DistributionError } from './distribute-telemetry.js';
import { migrations } from './schema-migrations.js';
import { entities } from './schema.js';
import { telemetryEntities, telemetryMigrations } from './telemetry-schema.js';
import { grantToServiceRole } from './service-role.js';

/** A separate program, for installations in which the service does not own its tables. */
const USAGE =
  `Usage: npm run migrate -- [--distribute] [--service-role NAME] [--wait-seconds N]\nBrings the schema of the ` +
  `database DATABASE_URL, and that of TELEMETRY_DATABASE_URL if it is set, up to date, as the owner of the\n` +
  `tables. If DATABASE_URL is the address of a pooler, DATABASE_DIRECT_URL must be the server's.\n--distribute         ` +
  `also distributes the tables of TELEMETRY_DATABASE_URL over the servers of its Citus cluster, by agent_id\n` +
  `--service-role NAME  also grants the role that the service connects with exactly the rights that it needs\n` +
  '--wait-seconds N     maximum wait for a database that is unreachable or too busy (300)';

const RETRY_MS = 500;

/** The command line can't be understood. */
class UsageError extends Error {}

/** A database can't be migrated. */
class MigrationError extends Error {}

function readOptions() {
  const options = {
    distribute: { type: 'boolean', default: false },
    'service-role': { type: 'string' },
    'wait-seconds': { type: 'string', default: '300' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const {
      'service-role': serviceRole,
      'wait-seconds': waitSeconds,
      ...others
    } = parseArgs({ options }).values;
    if (!/^\d{1,6}$/.test(waitSeconds)) throw new Error('--wait-seconds must be a whole number of seconds');
    return { serviceRole, waitSeconds: Number(waitSeconds), ...others };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Repeats the work while the database is down or starting, has no free connection, or a lock is taken. */
async function untilAvailable(
  work: () => Promise<void>,
  setting: UrlSetting,
  waitSeconds: number,
): Promise<void> {
  const end = performance.now() + waitSeconds * 1_000;
  for (let lastReason = ''; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() >= end)
        throw new MigrationError(failureToOpen(error, setting), { cause: error });
      const reason = failureToOpen(error, setting);
      if (reason !== lastReason) process.stderr.write(`Waiting for the database: ${reason}\n`);
      lastReason = reason;
      await delay(RETRY_MS);
    }
  }
}

async function main(): Promise<void> {
  const { serviceRole, waitSeconds, distribute, help } = readOptions();
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const main = {
    target: { url: readDatabaseUrl() },
    entities,
    migrations,
    setting: 'DATABASE_URL' as const,
  };
  const url = readTelemetryDatabaseUrl();
  if (distribute && url === undefined)
    throw new SettingsError('Invalid settings: TELEMETRY_DATABASE_URL: is required for --distribute');
  const telemetry = url && {
    target: { url },
    entities: telemetryEntities,
    migrations: telemetryMigrations,
    setting: 'TELEMETRY_DATABASE_URL' as const,
  };
  for (const database of telemetry ? [main, telemetry] : [main]) {
    await untilAvailable(() => migrate(database), database.setting, waitSeconds);
    await withClient(unlimitedClientOptions(database.target), async (client) => {
      if (distribute && database === telemetry) await distributeTelemetry(client, tellDistributed);
      if (serviceRole !== undefined) await grantToServiceRole(client, serviceRole);
    });
  }
}

function tellDistributed(table: string): void {
  process.stdout.write(`${table} is distributed by agent_id\n`);
}

try {
  await main();
} catch (error) {
  if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${USAGE}\n`);
  else if (error instanceof SettingsError || error instanceof DistributionError)
    process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`The database can't be migrated: ${failureToOpen(error)}\n`);
  process.exitCode = 1;
}
