import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Client } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { Database } from '../../src/database/database.js';
import { readSettings } from '../../src/config/settings.js';
import { createApp } from '../../src/create-app.js';
import { ServiceMetrics } from '../../src/observability/service-metrics.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerPerson } from '../builders/people.js';
import { ApiClient, type ApiReply } from '../harness/api-client.js';
import { expectError } from '../harness/error-shape.js';
import type { TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { Stage } from './embedded-postgres-stage.js';

/** Some tests start a PostgreSQL, and some wait for time limits of several seconds. */
jest.setTimeout(60_000);

/** One PostgreSQL, which the tests start and stop. */
let stage: Stage;
let connection: TestApp['database']['target'];
let app: NestExpressApplication;
let api: ApiClient;

beforeAll(async () => {
  stage = new Stage();
  ({ connection } = await stage.start());
  await stage.stopAll();
});

afterAll(() => stage.clear());

/** The service, on a PostgreSQL that may be running or not. */
async function startService(
  locate: () => Promise<TestApp['database']['target']>,
  poolSize = 5,
): Promise<void> {
  const settings = readSettings({
    LOG_LEVEL: 'silent',
    DATABASE_URL: 'postgres://unused',
    DATABASE_POOL_SIZE: `${poolSize}`,
    JWT_SECRET: 'a secret for tests, of more than thirty-two bytes',
    BCRYPT_COST: '4',
    RATE_LIMIT_LOGIN_PER_ACCOUNT: '100000',
    RATE_LIMIT_LOGIN_PER_ADDRESS: '100000',
  });
  app = await createApp({ settings, logger: createLogger(settings), locateDatabase: locate });
  await app.listen(0, '127.0.0.1');
  api = new ApiClient(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`);
}

async function startPostgres(parameters: Record<string, string> = {}): Promise<void> {
  if (!stage.pid()) await stage.start(parameters);
}

async function stopService(): Promise<void> {
  // No client waits for a reply any more.
  app.getHttpServer().closeAllConnections();
  await app.close();
}

/** The service is ready, and a person has an agent. */
async function somebody() {
  await untilReady();
  const person = await registerPerson({ api });
  return { person, agent: await createAgent({ api }, person) };
}

const untilReady = () => until(async () => (await api.get('/ready')).status === 200);

const untilNoticed = () => until(async () => (await api.get('/health')).body.database === 'unavailable');

/** All requests that need the database, by the name in a failure. */
function dataRequests(person: Person, agent: TestAgent): Record<string, () => Promise<ApiReply<any>>> {
  return {
    list: () => person.api.get('/agents'),
    detail: () => person.api.get(`/agents/${agent.id}`),
    create: () => person.api.post('/agents', { name: 'made meanwhile' }),
    idempotent: () =>
      person.api.post(
        '/agents',
        { name: 'made once' },
        { headers: { 'Idempotency-Key': `${Math.random()}` } },
      ),
    deploy: () => person.api.post(`/agents/${agent.id}/deploy`),
    login: () => api.post('/auth/login', { email: person.email, password: GOOD_PASSWORD }),
    heartbeat: () => agent.runtime.post('/agents/heartbeat', { version: `${Math.random()}` }),
    logs: () => agent.runtime.post('/agents/logs', { level: 'info', message: 'x' }),
    metrics: () => agent.runtime.post('/agents/metrics', { cpu_usage: 1 }),
    status: () => agent.runtime.get(`/agents/${agent.id}/status`),
  };
}

describe('A service that starts before its database', () => {
  afterEach(() => stopService());

  it('serves health and reports the missing database, and becomes ready without a restart when the database is up', async () => {
    await startService(() => Promise.resolve(connection));

    await untilNoticed();
    const health = await api.get('/health');
    expect([health.status, health.body.status, health.body.database]).toEqual([
      200,
      'degraded',
      'unavailable',
    ]);
    const ready = await api.get('/ready');
    expect([ready.status, ready.body]).toEqual([
      503,
      { status: 'not_ready', database: 'unavailable', error: 'The database is unavailable' },
    ]);
    expect(ready.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await api.get('/')).status).toBe(200);
    expect((await api.get('/openapi.json')).status).toBe(200);
    expect((await api.get('/nothing')).status).toBe(404);
    const metrics = await app.get(ServiceMetrics).read();
    expect(metrics).toMatch(/^process_resident_memory_bytes \d/m);
    expect(metrics).not.toMatch(/^control_plane_(agents|commands|webhook_messages_due)[ {]/m);
    for (const reply of [
      await api.get('/agents'),
      await api.as('nonsense').get('/agents'),
      await api.post('/auth/login', { email: 'a@example.com', password: 'x' }),
      await api.post('/auth/register', { email: 'a@example.com', password: GOOD_PASSWORD }),
      await api.get('/newsletter'),
      await api.post('/agents/heartbeat', {}),
    ]) {
      expectError(reply, 503, 'The service is starting: its database is not ready yet');
    }

    await startPostgres();
    await untilReady();
    await registerPerson({ api });
    expect((await api.get('/health')).body).toMatchObject({ status: 'healthy', database: 'ready' });
  });

  it('waits for a database that is still replaying its log', async () => {
    const attempts: string[] = [];
    await startService(async () => {
      attempts.push('once more');
      if (attempts.length < 3) throw new Error('the database system is starting up');
      await startPostgres();
      return connection;
    });
    await untilReady();
    expect(attempts).toHaveLength(3);
  });
});

describe('While requests run, the database', () => {
  beforeAll(async () => {
    await startPostgres();
    await startService(() => Promise.resolve(connection));
  });

  afterAll(() => stopService());

  it('is stopped: every request returns 503, while health and the OpenAPI document are served', async () => {
    const { person, agent } = await somebody();
    const requests = dataRequests(person, agent);
    await stage.stopAll();
    await untilNoticed();
    for (const send of Object.values(requests)) expectError(await send(), 503);
    const health = await api.get('/health');
    expect([health.status, health.body.status]).toEqual([200, 'degraded']);
    const ready = await api.get('/ready');
    expect([ready.status, ready.body.error]).toEqual([503, 'The database is unavailable']);
    expect((await api.get('/docs')).status).toBe(200);

    await startPostgres();
    await untilReady();
    for (const [name, send] of Object.entries(requests)) {
      expect([name, Math.trunc((await send()).status / 100)]).toEqual([name, 2]);
    }
  });

  it('hangs: health answers, waiting requests return 503, and statements that had begun are finished later', async () => {
    const { person, agent } = await somebody();
    const requests = Object.values(dataRequests(person, agent));
    stage.signalAll('SIGSTOP');
    try {
      const begun = Array.from({ length: 5 }, () => person.api.get('/agents'));
      await until(async () => (await api.get('/ready')).status === 503);
      // Reported before the connection itself counts as lost, after its time limit of three seconds.
      expect(app.get(Database).state).toBe('ready');
      await untilNoticed();
      const health = await api.get('/health');
      expect([health.status, health.body.status]).toEqual([200, 'degraded']);
      await until(() => app.get(Database).isAway('people'));
      for (const reply of await Promise.all(requests.map((send) => send())))
        expectError(reply, 503, 'The database is unavailable');
      stage.signalAll('SIGCONT');
      for (const { status } of await Promise.all(begun)) expect([200, 503]).toContain(status);
      await untilReady();
      expect((await person.api.get('/agents')).status).toBe(200);
    } finally {
      stage.signalAll('SIGCONT');
    }
  });

  it('takes no further connection: requests that need one return 503, and the service recovers', async () => {
    // The service may open more connections than the server allows, so it always needs more.
    await stopService();
    await stage.stopAll();
    await startPostgres({ max_connections: '12' });
    await startService(() => Promise.resolve(connection), 20);
    const { person } = await somebody();
    const others: Client[] = [];
    for (let isFull = false; !isFull;) {
      const client = new Client(connection);
      client.on('error', () => undefined);
      isFull = await client.connect().then(
        () => others.push(client) > 12,
        () => true,
      );
    }
    const crowd = (size: number) => Array.from({ length: size }, () => person.api.get('/agents'));
    const statuses: number[] = [];
    // Requests with a connection keep it while agents are locked.
    await others[0]!.query('BEGIN');
    await others[0]!.query('LOCK TABLE agents IN ACCESS EXCLUSIVE MODE');
    const requests = crowd(20).map((request) => request.then(({ status }) => statuses.push(status)));
    await until(() => statuses.includes(503));
    await others[0]!.query('COMMIT');
    await Promise.all(requests);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    await Promise.all(others.map((client) => client.end()));
    // As many as the server allows.
    await until(async () => (await Promise.all(crowd(5))).every(({ status }) => status === 200));
  });
});
