import { jest } from '@jest/globals';
import { PeriodicJobs } from '../../src/database/periodic-jobs.js';
import { acknowledge, createAgent, deploy, poll, type TestAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import { createWebhook, makeDue, queueEvents, WEBHOOK_SETTINGS } from '../builders/webhooks.js';
import type { ApiReply } from '../harness/api-client.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { withinASecond } from '../harness/within-a-second.js';

/** A busy machine takes long for what two instances and their clients do. */
jest.setTimeout(180_000);

let first: TestApp;
let other: TestApp;
let operator: Person;
let person: Person;
let receiver: WebhookReceiver;

beforeAll(async () => {
  first = await startTestApp({ settings: WEBHOOK_SETTINGS });
  other = await startTestApp({ settings: WEBHOOK_SETTINGS, database: first.database });
  operator = await registerOperator(first);
});

beforeEach(async () => {
  person = await registerPerson(first);
  receiver = await WebhookReceiver.start();
});

afterEach(() => receiver.close());

afterAll(async () => {
  await expectCleanAudit(first.database);
  await other.close();
  await first.close();
});

const instances = () => [first, other];

const rows = (statement: string, parameters: unknown[]) => first.database.query(statement, parameters);

/** One command leased and one waiting behind it, on one instance, and a waiting poll on the other. */
async function busyAgent() {
  const agent = await createAgent(first, person);
  const id = await deploy(person, agent);
  const [leased] = await poll(agent);
  await acknowledge(agent, leased!.command_id);
  await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
  const [scale] = await poll(agent);
  await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
  const waiting = other.api.as(agent.key).get('/agents/commands?wait=5');
  // A call with the same key on that instance shows it, because the instance knows the key from then on.
  expect((await other.api.as(agent.key).post('/agents/heartbeat', {})).status).toBe(200);
  return { agent, id, commandId: scale!.command_id, waiting };
}

/** Calls that an agent repeats until its key is refused. */
function traffic(agent: TestAgent) {
  const replies: ApiReply<any>[] = [];
  let isOver = false;
  const clients = instances().map(async ({ api }) => {
    const runtime = api.as(agent.key);
    while (!isOver) {
      replies.push(
        await runtime.post('/agents/logs', {
          logs: Array(50).fill({ level: 'info', message: 'still here' }),
        }),
        await runtime.post('/agents/metrics', { cpu_usage: 1 }),
        await runtime.post('/agents/heartbeat', { status: 'running' }),
      );
    }
  });
  return {
    replies,
    async end() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

describe('An agent that is deleted with work queued', () => {
  it('is removed on every instance with its commands and messages, and its owner gets the event', async () => {
    const webhook = await createWebhook(person, receiver.url, { events: ['agent.deleted'] });
    const { agent, id, commandId, waiting } = await busyAgent();
    const sending = traffic(agent);
    try {
      await until(() => sending.replies.length > 20);
      expect((await person.api.delete(`/agents/${agent.id}`)).status).toBe(204);
      for (const { api } of instances()) {
        await withinASecond(async () => (await api.as(agent.key).get('/agents/commands')).status === 401);
        expect((await api.as(person.accessToken).get(`/agents/${agent.id}`)).status).toBe(404);
        expect((await api.as(person.accessToken).get(`/deployments/${id}`)).status).toBe(404);
      }
    } finally {
      await sending.end();
    }
    // A request under way may get a 404 or a 401, but no other error.
    const statuses = new Set(sending.replies.map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 401, 404].includes(status))).toEqual([]);
    expect([200, 401]).toContain((await waiting).status);
    expect((await acknowledge(agent, commandId)).status).toBe(401);
    await until(() => receiver.received.length === 1);
    expect(receiver.events[0]).toMatchObject({ type: 'agent.deleted', data: { agent: { id: agent.id } } });
    expect(await rows('SELECT FROM commands WHERE agent_id = $1', [agent.id])).toEqual([]);
    // The last row is deleted after everything else.
    await until(async () => {
      await first.app.get(PeriodicJobs).runOnce('removalPurge');
      return (await rows('SELECT FROM agents WHERE id = $1', [agent.id])).length === 0;
    });
    for (const table of ['agent_logs', 'agent_metrics', 'telemetry_batches', 'agent_presence', 'api_keys']) {
      expect([table, await rows(`SELECT FROM ${table} WHERE agent_id = $1`, [agent.id])]).toEqual([
        table,
        [],
      ]);
    }
    expect((await person.api.get(`/webhooks/${webhook.id}/deliveries`)).body).toHaveLength(1);
  });
});

describe('A webhook that is deleted with messages queued', () => {
  it('gets no further message from any instance, and leaves no message behind', async () => {
    receiver.hang();
    const { id } = await createWebhook(person, receiver.url);
    await queueEvents(first, id, 500);
    await until(() => receiver.hangingCount > 0);
    expect((await person.api.delete(`/webhooks/${id}`)).status).toBe(204);
    const begun = receiver.received.length;
    receiver.breakOff();
    receiver.answer(200);
    await until(async () => {
      await makeDue(first, id);
      await first.app.get(PeriodicJobs).runOnce('webhookPurge');
      return (await rows('SELECT FROM webhooks WHERE id = $1', [id])).length === 0;
    });
    expect(await rows('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [id])).toEqual([]);
    // Only attempts that an instance had begun before the deletion were sent.
    expect(receiver.received.length - begun).toBeLessThanOrEqual(4);
  });
});

describe('An account that is deactivated with work queued', () => {
  it('is refused by every instance, its messages are cancelled, and its history stays complete', async () => {
    receiver.answer(500);
    const { id } = await createWebhook(person, receiver.url);
    const { agent, waiting } = await busyAgent();
    await queueEvents(first, id, 100);
    await until(() => receiver.received.length > 2);
    expect((await operator.api.patch(`/users/${person.id}`, { is_active: false })).status).toBe(200);
    for (const { api } of instances()) {
      await withinASecond(async () => (await api.as(person.accessToken).get('/agents')).status === 403);
    }
    await until(async () => {
      await makeDue(first, id);
      const queued = 'SELECT FROM webhook_deliveries WHERE webhook_id = $1 AND next_attempt_at IS NOT NULL';
      return (await rows(queued, [id])).length === 0;
    });
    // The agent is not stopped: the poll ends normally, or its key is refused.
    expect([200, 401, 403]).toContain((await waiting).status);
    await operator.api.patch(`/users/${person.id}`, { is_active: true });
    // The account's sessions have ended permanently.
    const back = await until(async () => {
      const reply = await first.api.post('/auth/login', { email: person.email, password: GOOD_PASSWORD });
      return reply.status === 200 && first.api.as(reply.body.access_token);
    });
    expect((await back.post(`/agents/${agent.id}/stop`)).body.stopped).toBe(1);
  });
});
