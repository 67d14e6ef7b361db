import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { type ChildService, startChildService } from '../harness/child-service.js';
import { untilSomeoneWaits, whileHeld } from '../harness/held-lock.js';
import { halfSentRequest } from '../harness/raw-request.js';
import { SlowLink } from '../harness/slow-link.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';

/** Each test starts a process of the service. */
jest.setTimeout(90_000);

/** A drain timeout that no test reaches: processes end for another reason. */
const PATIENT = { DRAIN_TIMEOUT_SECONDS: '600' };
/** Time after which a signal counts as another one, not as a repetition. */
const ANOTHER_SIGNAL_MS = 1_100;

let database: TestDatabase;
/** The link to the database, which can hang or end while the server of all other suites runs. */
let link: SlowLink;
let services: ChildService[];

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

beforeEach(async () => {
  link = await SlowLink.start(database.target);
  services = [];
});

afterEach(async () => {
  for (const service of services) await service.end('SIGKILL');
  await link.close();
});

async function start(settings: Record<string, string>): Promise<ChildService> {
  const service = await startChildService({ DATABASE_URL: link.url, ...settings });
  services.push(service);
  await until(async () => (await service.api.get('/ready')).status === 200, 60_000);
  return service;
}

const isRunning = ({ process: child }: ChildService) => child.exitCode === null && child.signalCode === null;

describe('A service that gets a signal to end', () => {
  it('waits for a request under way, also when the first signal is repeated, and ends at once on a different signal', async () => {
    const service = await start({ LOG_LEVEL: 'warn', ...PATIENT });
    await halfSentRequest(service.url);
    for (let count = 0; count < 3; count += 1) service.process.kill('SIGINT');
    await delay(ANOTHER_SIGNAL_MS);
    expect(isRunning(service)).toBe(true);
    expect(await service.end('SIGINT')).toBe(1);
    expect(service.output()).toContain('received a second signal: ending at once');
  });

  it('closes unfinished requests when the drain timeout is over', async () => {
    const service = await start({ DRAIN_TIMEOUT_SECONDS: '1' });
    await halfSentRequest(service.url);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.output()).not.toContain('did not end');
  });

  it('does not wait for a database that hangs, and logs open work', async () => {
    const service = await start(PATIENT);
    await whileHeld(database, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', async () => {
      const login = service.api.post('/auth/login', { email: 'a@example.com', password: 'x' });
      login.catch(() => undefined);
      await untilSomeoneWaits(database);
      link.hang();
      expect(await service.end('SIGTERM')).toBe(1);
    });
    expect(service.output()).toMatch(/"unfinished":\[".+"\].*the service did not shut down in time/);
  });

  it('ends as usual while the database is stopped', async () => {
    const service = await start(PATIENT);
    await link.close();
    await until(async () => (await service.api.get('/health')).body.database === 'unavailable');
    expect(await service.end('SIGTERM')).toBe(0);
  });

  it('ends as usual if its database was never reachable', async () => {
    const service = await startChildService({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', ...PATIENT });
    services.push(service);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.output()).not.toContain('"msg":"ready"');
  });
});
