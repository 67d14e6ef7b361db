import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { ServiceMetrics } from '../src/observability/service-metrics.js';
import { createAgent, deploy, obey, report } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

let database: TestDatabase;
let api: TestApp;
let dispatcher: TestApp;
let monitor: TestApp;
let person: Person;

const startWith = (ROLES: string) =>
  startTestApp({
    database,
    settings: { ...WEBHOOK_SETTINGS, HEARTBEAT_INTERVAL_SECONDS: '1', HEARTBEAT_TIMEOUT_SECONDS: '2', ROLES },
  });

beforeAll(async () => {
  database = await createTestDatabase();
  [api, dispatcher, monitor] = await Promise.all([
    startWith('api'),
    startWith('dispatcher'),
    startWith('monitor'),
  ]);
  person = await registerPerson(api);
});

afterAll(async () => {
  await expectCleanAudit(database);
  await Promise.all([api, dispatcher, monitor].map((app) => app.close()));
  await database.drop();
});

const monitorOnce = () => monitor.app.get(PeriodicJobs).runOnce('monitor');

describe('Three instances with one role each', () => {
  it('are ready, and only the instance with the role api serves the API', async () => {
    for (const { api: client } of [api, dispatcher, monitor]) {
      expect((await client.get('/ready')).status).toBe(200);
      expect((await client.get('/health')).status).toBe(200);
    }
    for (const { api: client } of [dispatcher, monitor]) {
      expectError(await client.as(person.accessToken).get('/agents'), 503, /ROLES/);
    }
  });

  it('export their own metrics, and only the instance with the role monitor those of the fleet', async () => {
    for (const instance of [api, dispatcher, monitor]) {
      const metrics = await instance.app.get(ServiceMetrics).read();
      expect(metrics).toMatch(/^control_plane_pool_size/m);
      const fleet = metrics.match(/^control_plane_(agents|commands|webhook_messages_due)\b/gm);
      expect(new Set(fleet).size).toBe(instance === monitor ? 3 : 0);
    }
  });

  it('send a webhook for an event of the API', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      await createWebhook(person, receiver.url);
      await createAgent(api, person);
      await until(() => receiver.received.length > 0);
      expect(receiver.events.map(({ type }) => type)).toContain('agent.created');
    } finally {
      await receiver.close();
    }
  });

  it('declare a silent agent lost once, and none while no instance serves the API', async () => {
    const agent = await createAgent(api, person);
    const id = await deploy(person, agent);
    await obey(agent);
    await report(agent, id, { status: 'running' });
    const statusOf = async () =>
      (await database.query<{ status: string }>('SELECT status FROM deployments WHERE id = $1', [id]))[0]!
        .status;
    await api.close();
    await database.query(`UPDATE agent_presence SET last_seen_at = last_seen_at - interval '1 hour'`);
    await until(async () => {
      const rows = await database.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'agent-control-plane api'`,
      );
      return rows.length === 0;
    });
    expect(await monitorOnce()).toBe(true);
    expect(await statusOf()).toBe('running');
    api = await startWith('api');
    await until(async () => (await monitorOnce()) && (await statusOf()) !== 'running');
    expect(await statusOf()).toBe('failed');
  });
});
