import { jest } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Database } from '../src/database/database.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { AgentsService } from '../src/agents/agents.service.js';
import { SUBSCRIBABLE_KINDS } from '../src/webhooks/event-catalogue.js';
import { createAgent, deploy, historyOf, obey, report, type TestAgent } from './builders/agents.js';
import { askAboutEverything } from './builders/approvals.js';
import { spendBudget } from './builders/budgets.js';
import { type Person, principalOf, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { NARROW_QUOTA, useQuotaUp } from './builders/quotas.js';
import { ask, claim, tell } from './builders/runs.js';
import { exportLoop } from './builders/traces.js';
import {
  createWebhook,
  deliveriesOf,
  settled,
  type TestWebhook,
  WEBHOOK_SETTINGS,
} from './builders/webhooks.js';
import { MonitoredFleet } from './harness/monitored-fleet.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

/** A start of the service for each test, and in some of them a hundred requests, one after the other. */
jest.setTimeout(90_000);

const SECRET = 'hidden-in-the-config';

let fleet: MonitoredFleet;
let receiver: WebhookReceiver;

beforeAll(async () => {
  const links = { WEB_PUBLIC_URL: 'https://control.example.com' };
  fleet = await MonitoredFleet.start({ ...WEBHOOK_SETTINGS, ...NARROW_QUOTA, ...links });
});

beforeEach(async () => {
  await fleet.renew();
  receiver = await WebhookReceiver.start();
});

afterEach(() => receiver.close());
afterAll(() => fleet.close());

interface Listener {
  readonly person: Person;
  readonly receiver: WebhookReceiver;
  readonly webhook: TestWebhook;
}

async function listener(): Promise<Listener> {
  const person = await registerPerson(fleet.app);
  const own = await WebhookReceiver.start();
  return { person, receiver: own, webhook: await createWebhook(person, own.url) };
}

/** Everything that can happen to a run of an agent with an active deployment. */
async function workThroughEverything(person: Person, agent: TestAgent): Promise<void> {
  const begin = async (body: object = {}) => {
    const { id } = await ask(person, agent, { input: SECRET, ...body });
    await claim(agent);
    return id;
  };
  const first = await begin();
  for (const status of ['waiting', 'running']) await tell(agent, { run_id: first, status });
  await person.api.post(`/runs/${first}/cancel`, {});
  await tell(agent, { run_id: first, status: 'succeeded', output: SECRET });
  await tell(agent, { run_id: await begin(), status: 'failed' });
  const returned = await begin();
  await tell(agent, { run_id: returned, status: 'queued' });
  await person.api.post(`/runs/${returned}/cancel`, {});
  await exportLoop(agent, returned);
  const late = await begin({ timeout_seconds: 60 });
  await fleet.app.database.query('UPDATE runs SET timeout_at = now() WHERE id = $1', [late]);
  await until(() => fleet.app.app.get(PeriodicJobs).runOnce('runs'));
  await begin();
  await agent.runtime.post('/agents/register', { version: '1.4.2' });
}

/** Everything that can happen to an agent and its deployment. Returns them and the history that they leave. */
async function liveThroughEverything(
  person: Person,
): Promise<{ agent: TestAgent; id: string; history: any[] }> {
  const { app } = fleet;
  const agent = await createAgent(app, person, { config: JSON.stringify({ token: SECRET }) });
  // The agent comes to the project of the webhook from another one.
  for (const project_id of [await createProject(person), person.id])
    await person.api.patch(`/agents/${agent.id}`, { project_id });
  await agent.runtime.post('/agents/register', { version: '1.4.2' });
  const id = await deploy(person, agent);
  await obey(agent);
  await workThroughEverything(person, agent);
  await spendBudget(person, agent);
  await useQuotaUp(fleet.app, agent);
  await askAboutEverything(fleet.app, person, agent, SECRET);
  await report(agent, id, { ready_replicas: 1 });
  await report(agent, id, { ready_replicas: 0 });
  await person.api.post(`/agents/${agent.id}/pause`, { reason: 'too dear' });
  await person.api.post(`/agents/${agent.id}/resume`);
  await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
  await report(agent, id, { restart_count: 5 });
  await app.database.query(
    `UPDATE deployments SET last_restart_at = now() - interval '1 hour' WHERE id = $1`,
    [id],
  );
  await fleet.round();
  await fleet.silence(agent, 121);
  await fleet.round();
  await report(agent, id, { status: 'running' });
  await person.api.post(`/agents/${agent.id}/stop`);
  await person.api.post(`/deployments/${id}/restart`);
  await report(agent, id, { status: 'failed', error_message: 'exit code 1' });
  await person.api.post(`/deployments/${id}/restart`);
  await app.database.query(`UPDATE deployments SET started_at = now() - interval '1 day' WHERE id = '${id}'`);
  await fleet.round();
  const again = await person.api.post(`/deployments/${id}/restart`);
  await report(agent, id, { status: 'completed', observed_generation: again.body.generation });
  await person.api.delete(`/deployments/${id}`);
  const history = await historyOf(person, id);
  await person.api.delete(`/agents/${agent.id}`);
  return { agent, id, history };
}

describe('Every kind of event', () => {
  it('is sent to its owner alone', async () => {
    const listeners = [await listener(), await listener()];
    for (const { person, receiver: own, webhook } of listeners) {
      const { agent, history } = await liveThroughEverything(person);
      await settled(person, webhook.id);
      expect(new Set(own.events.map(({ type }) => type))).toEqual(new Set(SUBSCRIBABLE_KINDS));
      for (const { type, timestamp, data } of own.events) {
        expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);
        const about = data.deployment ?? data.run ?? data.budget ?? data.quota ?? data.approval;
        expect(data.agent ? data.agent.id : about.agent_id).toBe(agent.id);
        if (data.agent) expect(data.agent.user_id).toBe(person.id);
        if (data.event) expect(type).toBe(`${data.run ? 'run' : 'deployment'}.${data.event.event_type}`);
      }
      const steps = own.events.flatMap(({ data }) => (data.deployment ? [data.event] : []));
      expect(steps.sort((one: any, other: any) => other.sequence - one.sequence)).toEqual(history);
      const bodies = own.received.map(({ body }) => body).join();
      for (const secret of [SECRET, agent.key, 'whsec_', '"config"']) expect(bodies).not.toContain(secret);
    }
    for (const { receiver: own } of listeners) await own.close();
  });

  it('has the previous and the new state', async () => {
    const { person, receiver: own, webhook } = await listener();
    const { id } = await liveThroughEverything(person);
    await settled(person, webhook.id);
    // Messages that are under way together may arrive in any order.
    const inOrder = own.events.sort((one, other) => one.timestamp.localeCompare(other.timestamp));
    const ofType = (type: string) => inOrder.find((event) => event.type === type)!.data;
    expect(ofType('agent.status_changed')).toMatchObject({
      previous_status: 'creating',
      agent: { status: 'running' },
    });
    expect(ofType('agent.registered')).toMatchObject({ agent: { version: '1.4.2', status: 'running' } });
    expect(ofType('agent.deleted')).toMatchObject({ agent: { status: 'deleting' } });
    expect(ofType('agent.paused')).toMatchObject({ pause: { by: 'user', reason: 'too dear' } });
    expect(ofType('agent.resumed')).toMatchObject({ pause: { by: 'user', reason: 'too dear' } });
    expect(ofType('deployment.paused')).toMatchObject({
      deployment: { id, replicas: 1 },
      event: { error_message: 'too dear' },
    });
    expect(ofType('deployment.failed')).toMatchObject({
      deployment: { id, status: 'failed', error_message: 'exit code 1' },
      event: { previous_status: 'deploying', status: 'failed', error_message: 'exit code 1' },
    });
    await own.close();
  });
});

describe('A webhook', () => {
  it('gets signed messages in its format, and the deliveries have the same bytes', async () => {
    const { person } = fleet;
    const json = 'application/json';
    const types = { standard: json, slack: json, text: 'text/plain; charset=utf-8' };
    const made: [string, TestWebhook][] = [];
    for (const format of Object.keys(types)) {
      const settings = { format, events: ['agent.created'] };
      made.push([format, await createWebhook(person, `${receiver.url}/${format}`, settings)]);
    }
    const { id } = await createAgent(fleet.app, person, { name: 'reader & co' });
    for (const [format, webhook] of made) {
      const [{ payload }] = await settled(person, webhook.id);
      const { headers, body } = receiver.received.find(({ path }) => path.endsWith(`/${format}`))!;
      expect([format, headers['content-type'], body]).toEqual([format, types[format as never], payload]);
      // `verify` would parse the text as JSON, too
      const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
      const signature = new StandardWebhook(webhook.secret).sign(
        headers['webhook-id'] as string,
        sentAt,
        body,
      );
      expect(headers['webhook-signature']).toBe(signature);
      const page = `https://control.example.com/agents/${id}`;
      if (format === 'text') expect(body).toBe(`Agent reader & co was created\n${page}`);
      else if (format === 'slack') {
        expect(JSON.parse(body)).toEqual({
          text: `Agent \`reader &amp; co\` was created\n<${page}|Open the agent>`,
        });
      } else expect(JSON.parse(body).data).toMatchObject({ agent: { name: 'reader & co' }, agent_url: page });
    }
  });

  it('gets only the events that it asks for', async () => {
    const { person } = fleet;
    const asks: [events: string[], hears: string[]][] = [
      [['*'], ['agent.created', 'agent.status_changed', 'deployment.deploy']],
      [['agent.*'], ['agent.created', 'agent.status_changed']],
      [['deployment.*'], ['deployment.deploy']],
      [
        ['agent.created', 'deployment.deploy'],
        ['agent.created', 'deployment.deploy'],
      ],
      [
        ['agent.*', 'agent.created'],
        ['agent.created', 'agent.status_changed'],
      ],
      [['deployment.kill', 'agent.deleted'], []],
    ];
    const webhooks = await Promise.all(
      asks.map(([events]) => createWebhook(person, receiver.url, { events })),
    );
    const silent = await createWebhook(person, receiver.url, { is_active: false });
    await deploy(person, await createAgent(fleet.app, person));
    for (const [index, [, hears]] of asks.entries()) {
      const heard = (await deliveriesOf(person, webhooks[index]!.id)).map(({ event }) => event);
      expect(heard.sort()).toEqual(hears);
    }
    expect(await deliveriesOf(person, silent.id)).toEqual([]);
  });

  it('sends one event for a stopped agent with any number of deployments', async () => {
    const { person } = fleet;
    const agent = await createAgent(fleet.app, person);
    for (let count = 0; count < 3; count++) await deploy(person, agent);
    const webhook = await createWebhook(person, receiver.url, { events: ['agent.status_changed'] });
    await person.api.post(`/agents/${agent.id}/stop`);
    expect(await deliveriesOf(person, webhook.id)).toHaveLength(1);
  });

  it('sends one event for a request repeated with an Idempotency-Key', async () => {
    const { person } = fleet;
    const webhook = await createWebhook(person, receiver.url);
    const options = { headers: { 'idempotency-key': 'an agent' } };
    for (let time = 0; time < 2; time++) await person.api.post('/agents', {}, options);
    await createAgent(fleet.app, person, { name: 'last' });
    await settled(person, webhook.id);
    expect(receiver.events.map(({ data }) => data.agent.name)).toContain('last');
    expect(receiver.events.filter(({ type }) => type === 'agent.created')).toHaveLength(2);
  });
});

describe('An event and its messages', () => {
  const count = async (table: string) =>
    (await fleet.app.database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`))[0]!
      .count;

  const failAt = (table: string) =>
    fleet.app.database.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''disk on fire''; END';
       CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION fail()`,
    );

  afterEach(() => fleet.app.database.query('DROP FUNCTION IF EXISTS fail CASCADE'));

  it.each(['deployment_events', 'webhook_deliveries'])(
    'are stored together or not at all when %s fails',
    async (table) => {
      const { app, person } = fleet;
      const agent = await createAgent(app, person);
      const { id } = await createWebhook(person, receiver.url);
      // events outlive the people of the tests before
      const eventsBefore = await count('deployment_events');
      await failAt(table);
      expect((await person.api.post(`/agents/${agent.id}/deploy`)).status).toBe(500);
      expect(await deliveriesOf(person, id)).toEqual([]);
      expect(await count('deployments')).toBe(0);
      expect(await count('deployment_events')).toBe(eventsBefore);
      expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('creating');
      expect(receiver.received).toEqual([]);
    },
  );

  it('are not stored when the transaction is rolled back', async () => {
    const { app, person } = fleet;
    const { id } = await createWebhook(person, receiver.url);
    const attempt = app.app.get(Database).people.transaction(async (tx) => {
      await app.app.get(AgentsService).create(tx, principalOf(person), { name: 'never' });
      throw new Error('changed my mind');
    });
    await expect(attempt).rejects.toThrow('changed my mind');
    expect(await deliveriesOf(person, id)).toEqual([]);
    expect(await count('agents')).toBe(0);
  });
});
