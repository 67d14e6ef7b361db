import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createLogger } from '../../src/config/logger.js';
import { readSettings } from '../../src/config/settings.js';
import { createApp } from '../../src/create-app.js';
import type { DatabaseTarget } from '../../src/database/data-source-options.js';
import { Database } from '../../src/database/database.js';
import { ApiClient } from './api-client.js';
import { expectNoRefusedForms } from './judge-statements.js';
import { expectNoSecretIn } from './secrets-made.js';
import { SETUP_TOKEN } from './setup-token.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { until } from './until.js';

export interface TestApp {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly api: ApiClient;
  readonly database: TestDatabase;
  /** Ends the instance, and drops its database unless that was given. */
  close(): Promise<void>;
  /** Its log; empty if `TEST_LOG_LEVEL` prints it. */
  log(): string;
}

export interface TestAppOptions {
  /** Environment variables in addition to the tests' own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** An existing database, for another instance; the caller drops it. */
  readonly database?: TestDatabase;
  /** Absent: the service uses the same connection parameters as the test. */
  readonly target?: DatabaseTarget;
}

/** For suites that hold a connection of a pool on purpose while others work. */
export const SEVERAL_CONNECTIONS = { DATABASE_POOL_SIZE: '10' };

/** Longer than the end of any instance; milliseconds. */
const CLOSE_TIMEOUT_MS = 60_000;

const testSettings = {
  NODE_ENV: 'test',
  PORT: '0',
  // The log is kept, and compared with the secrets of the suite; `TEST_LOG_LEVEL` prints it instead.
  LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'info',
  BCRYPT_COST: '4',
  // `TEST_POOL_SIZE=4 npm test` runs all suites that do not need several on one connection for each kind of work.
  DATABASE_POOL_SIZE: process.env.TEST_POOL_SIZE ?? SEVERAL_CONNECTIONS.DATABASE_POOL_SIZE,
  // Tests hold locks while they read, which takes long on a busy machine.
  DATABASE_LOCK_TIMEOUT_SECONDS: '15',
  DATABASE_URL: 'postgres://unused',
  SETUP_TOKEN,
  JWT_SECRET: 'a secret for tests, of more than thirty-two bytes',
  RATE_LIMIT_LOGIN_PER_ACCOUNT: '100000',
  RATE_LIMIT_LOGIN_PER_ACCOUNT_EVERYWHERE: '100000',
  RATE_LIMIT_LOGIN_PER_ADDRESS: '100000',
  RATE_LIMIT_SECOND_FACTOR_PER_ACCOUNT: '100000',
  RATE_LIMIT_REGISTER_PER_ACCOUNT: '100000',
  RATE_LIMIT_REGISTER_PER_ADDRESS: '100000',
  RATE_LIMIT_REFRESH_PER_ACCOUNT: '100000',
  RATE_LIMIT_REFRESH_PER_ADDRESS: '100000',
  RATE_LIMIT_NEWSLETTER_PER_ADDRESS: '100000',
  RATE_LIMIT_LEADS_PER_ADDRESS: '100000',
  // Suites run the monitor's rounds themselves.
  MONITOR_INTERVAL_SECONDS: '300',
};

/** The whole service in this process, on a real PostgreSQL and a real port. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const settings = readSettings({ ...testSettings, ...options.settings });
  const lines: string[] = [];
  const logger = process.env.TEST_LOG_LEVEL
    ? createLogger(settings)
    : createLogger(settings, { write: (line) => void lines.push(line) });
  const app = await createApp({
    settings,
    logger,
    locateDatabase: () => Promise.resolve(options.target ?? database.target),
  });
  const server = app.getHttpServer();
  await app.listen(0, '127.0.0.1');
  await app.get(Database).whenOpen();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    app,
    url,
    api: new ApiClient(url),
    database,
    log: () => lines.join(''),
    async close() {
      const closing = app.close();
      // No client waits for a reply any more. The server itself would wait for idle connections of its clients, and for
      // the polls of a failed test.
      await Promise.race([closing, until(() => !server.listening, CLOSE_TIMEOUT_MS)]);
      server.closeAllConnections();
      await closing;
      expectNoSecretIn('the log', lines.join(''));
      const entries = await database.query<{ entry: string }>(
        'SELECT to_json(audit_log)::text AS entry FROM audit_log',
      );
      expectNoSecretIn('the audit log', entries.map(({ entry }) => entry).join('\n'));
      await expectNoRefusedForms(database);
      if (!options.database) await database.drop();
    },
  };
}
