import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { type ChildService, startChildService } from '../harness/child-service.js';
import { untilSomeoneWaits, whileHeld } from '../harness/held-lock.js';
import { halfSentRequest } from '../harness/raw-request.js';
import { until } from '../harness/until.js';
import { alive, prepareMigratedTemplate, Stage } from './embedded-postgres-stage.js';

/** Each test starts a process of the service, and most of them a PostgreSQL. */
jest.setTimeout(90_000);

/** No test waits for it: what ends, ends for another reason. */
const PATIENT = { DRAIN_TIMEOUT_SECONDS: '600' };
/** From here on a signal is another one, and not the same once more. */
const ANOTHER_SIGNAL_MS = 1_100;

let template: Stage;
let stage: Stage;
let services: ChildService[];

beforeAll(async () => {
  template = await prepareMigratedTemplate();
});

afterAll(() => template.clear());

beforeEach(() => {
  stage = new Stage(template);
  services = [];
});

afterEach(async () => {
  for (const { process: child } of services) child.kill('SIGKILL');
  await stage.clear();
});

const untilReady = ({ api }: ChildService) =>
  until(async () => (await api.get('/ready')).status === 200, 60_000);

async function start(settings: Record<string, string>): Promise<ChildService> {
  const service = await startChildService(settings);
  services.push(service);
  await untilReady(service);
  return service;
}

/** The service on a PostgreSQL that this test can stop. */
async function startOnStage(settings: Record<string, string>): Promise<ChildService> {
  const { connection } = await stage.start();
  const { host, port, user, database } = connection;
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  return start({ DATABASE_URL: url, ...settings });
}

const isRunning = ({ process: child }: ChildService) => child.exitCode === null && child.signalCode === null;

describe('A service that is told to end', () => {
  it('waits for a request under way, however often the same signal comes, and ends at once with another one', async () => {
    const service = await start({ DATA_DIR: stage.dataDir, LOG_LEVEL: 'warn', ...PATIENT });
    const postgres = stage.runningPid();
    await halfSentRequest(service.url);
    for (let count = 0; count < 3; count += 1) service.process.kill('SIGINT');
    await delay(ANOTHER_SIGNAL_MS);
    expect(isRunning(service)).toBe(true);
    expect(await service.end('SIGINT')).toBe(1);
    expect(service.output()).toContain('told to end a second time: ending at once');
    // it was told to end, too, and rolls back what was open
    await until(() => !alive(postgres));
    expect(stage.pid()).toBeUndefined();
  });

  it('cuts off what is not finished when the drain time is over', async () => {
    const service = await startOnStage({ DRAIN_TIMEOUT_SECONDS: '1' });
    await halfSentRequest(service.url);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.output()).not.toContain('did not end');
  });

  it('does not wait for a database that hangs, and says what it has left open', async () => {
    const service = await startOnStage(PATIENT);
    const { database } = stage;
    await whileHeld(database, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', async () => {
      const login = service.api.post('/auth/login', { email: 'a@example.com', password: 'x' });
      login.catch(() => undefined);
      await untilSomeoneWaits(database);
      stage.signalAll('SIGSTOP');
      try {
        expect(await service.end('SIGTERM')).toBe(1);
      } finally {
        stage.signalAll('SIGCONT');
      }
    });
    expect(service.output()).toMatch(/"unfinished":\[".+"\].*the service did not end in time/);
  });

  it('ends as usual when the database is away', async () => {
    const service = await startOnStage(PATIENT);
    await stage.stopAll();
    await until(async () => (await service.api.get('/health')).body.database === 'unavailable');
    expect(await service.end('SIGTERM')).toBe(0);
  });

  it('ends as usual when its database has never been there', async () => {
    const service = await startChildService({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', ...PATIENT });
    services.push(service);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.output()).not.toContain('"msg":"ready"');
  });
});
