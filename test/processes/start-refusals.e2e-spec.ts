import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLogger } from '../../src/config/logger.js';
import { PostgresDatabase } from '../../src/database/postgres-database.js';
import { readSettings } from '../../src/config/settings.js';
import { Service } from '../../src/service.js';
import { withAdmin } from '../harness/cluster.mjs';
import { collectSecrets, printedBy } from '../harness/secrets-made.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { urlOf } from '../harness/child-service.js';
import { startOldPostgres } from './old-postgres.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

const SETTINGS = {
  PORT: '0',
  LOG_LEVEL: 'silent',
  JWT_SECRET: 'a secret for tests, of more than thirty-two bytes',
};

const settingsWith = (environment: Record<string, string>) => ({
  ...SETTINGS,
  DATABASE_URL: urlOf(database.target),
  ...environment,
});

/** Starts the service as a process and waits for its end. */
async function start(environment: Record<string, string>): Promise<{ code: number; errors: string }> {
  const child = spawn(process.execPath, ['dist/service/main.js'], {
    env: { PATH: process.env.PATH, ...settingsWith(environment) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  collectSecrets(environment);
  printedBy('the output of a service that can not start', child);
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: Number(code), errors };
}

describe('A process that can not start', () => {
  // all other bad settings: src/config/settings.spec.ts
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'two bad variables',
      { LOG_LEVEL: 'loud', JWT_SECRET: 'x' },
      /^Invalid settings: (?=.*JWT_SECRET)(?=.*LOG_LEVEL).+\n$/,
    ],
    [
      'no secrets in production',
      { NODE_ENV: 'production', JWT_SECRET: '' },
      /^Invalid settings: JWT_SECRET: is required in production; WEBHOOK_SECRET_KEY: is required in production\n$/,
    ],
  ])('prints the reason in one line and exits with 1: %s', async (_, environment, message) => {
    const { code, errors } = await start(environment);
    expect(code).toBe(1);
    expect(errors).toMatch(message);
  });

  it('names its port in one line if that is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const PORT = `${(other.address() as AddressInfo).port}`;
      const { code, errors } = await start({ PORT });
      expect([code, errors]).toEqual([1, `Port ${PORT} is taken. Set PORT to another one.\n`]);
    } finally {
      other.close();
    }
  });
});

/** Starts the service in this process. Its own process prints the message of the error, as for a taken port. */
async function refusal(environment: Record<string, string>): Promise<unknown> {
  const settings = readSettings(settingsWith(environment));
  const service = new Service(settings, createLogger(settings));
  const error: unknown = await service.start().then(
    () => 'none',
    (thrown: Error) => thrown.message,
  );
  await service.stop();
  return error;
}

describe('A service that can not start', () => {
  it.each([
    ['an address of another machine', '192.0.2.1'],
    // such a name is refused without a query to a name server
    ['a name of no machine', 'nowhere..invalid'],
  ])('names the address at which it can not listen: %s', async (_, HOST) => {
    expect(await refusal({ HOST })).toBe(`HOST ${HOST} is not an address of this machine.`);
  });

  it('names both versions and the setting if a PostgreSQL is too old', async () => {
    const server = await startOldPostgres('13.21');
    try {
      const { port } = server.address() as AddressInfo;
      const url = `postgres://x@127.0.0.1:${port}/x`;
      const message = 'PostgreSQL 13.21 is too old: the service needs 14 or newer. Upgrade the server of ';
      expect(await refusal({ DATABASE_URL: url })).toBe(`${message}DATABASE_URL.`);
      const limits = { poolSize: 4, searchTimeoutMs: 1_000, lockTimeoutMs: 1_000, requestsInFlight: 1 };
      const place = { servesApi: false, isApart: true, locate: async () => ({ url }), log: () => undefined };
      const telemetry = new PostgresDatabase({ ...limits, ...place });
      telemetry.open();
      await telemetry.whenOpen();
      expect(telemetry.refusal?.message).toBe(`${message}TELEMETRY_DATABASE_URL.`);
      await telemetry.close();
    } finally {
      server.close();
    }
  });

  it('says so where the encoding of its database is not UTF-8', async () => {
    const name = `latin_${randomBytes(4).toString('hex')}`;
    await withAdmin((admin) =>
      admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`),
    );
    try {
      expect(await refusal({ DATABASE_URL: urlOf({ ...database.target, database: name }) })).toBe(
        `The database ${name} has the encoding LATIN1, but the service needs UTF8. ` +
          "Make one with CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8', and name it in DATABASE_URL.",
      );
    } finally {
      await withAdmin((admin) => admin.query(`DROP DATABASE ${name}`));
    }
  });
});
