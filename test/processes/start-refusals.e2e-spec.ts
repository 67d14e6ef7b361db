import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { collectSecrets, printedBy } from '../harness/secrets-made.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { urlOf } from '../harness/child-service.js';
import { startOldPostgres } from './old-postgres.js';

/** Each test starts the service as a process, which takes a busy machine half a minute. */
jest.setTimeout(90_000);

const JWT_SECRET = 'a secret for tests, of more than thirty-two bytes';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** Starts the service as a process and waits for its end. */
async function start(environment: Record<string, string>): Promise<{ code: number; errors: string }> {
  const child = spawn(process.execPath, ['dist/service/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: urlOf(database.target),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  collectSecrets(environment);
  printedBy('the output of a service that can not start', child);
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: Number(code), errors };
}

describe('A process that can not start', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a bad variable',
      { PORT: 'eighty' },
      /^Invalid settings: PORT: must be a whole number from 0 to 65535\n$/,
    ],
    [
      'two of them',
      { LOG_LEVEL: 'loud', JWT_SECRET: 'x' },
      /^Invalid settings: (?=.*JWT_SECRET)(?=.*LOG_LEVEL).+\n$/,
    ],
    [
      'no secrets in production',
      { NODE_ENV: 'production' },
      /^Invalid settings: JWT_SECRET: is required in production; WEBHOOK_SECRET_KEY: is required in production\n$/,
    ],
    [
      'an address of another machine',
      { HOST: '192.0.2.1', JWT_SECRET },
      /^HOST 192\.0\.2\.1 is no address of this machine\.\n$/,
    ],
    [
      // such a name is refused without asking any name server
      'a name of no machine',
      { HOST: 'nowhere..invalid', JWT_SECRET },
      /^HOST nowhere\.\.invalid is no address of this machine\.\n$/,
    ],
  ])('says why in one line, and ends with 1: %s', async (_, environment, message) => {
    const { code, errors } = await start(environment);
    expect(code).toBe(1);
    expect(errors).toMatch(message);
  });

  it('says so where its port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const PORT = `${(other.address() as AddressInfo).port}`;
      const { code, errors } = await start({ JWT_SECRET, PORT });
      expect([code, errors]).toEqual([1, `Port ${PORT} is taken. Set PORT to another one.\n`]);
    } finally {
      other.close();
    }
  });

  it('says so where its PostgreSQL is too old', async () => {
    const server = await startOldPostgres('13.21');
    try {
      const { port } = server.address() as AddressInfo;
      const { code, errors } = await start({ JWT_SECRET, DATABASE_URL: `postgres://x@127.0.0.1:${port}/x` });
      expect([code, errors]).toEqual([
        1,
        'PostgreSQL 13.21 is too old: the service needs 14 or newer. Upgrade the server of DATABASE_URL.\n',
      ]);
    } finally {
      server.close();
    }
  });
});
