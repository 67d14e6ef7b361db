import { jest } from '@jest/globals';
import {
  acknowledge,
  createAgent,
  deploy,
  poll,
  type TestAgent,
  type TestCommand,
} from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createWebhook, makeDue, queueEvents, type TestWebhook } from '../builders/webhooks.js';
import type { ApiClient, ApiReply } from '../harness/api-client.js';
import type { ChildService } from '../harness/child-service.js';
import { waitingForLocks, whileGated, whileHeld } from '../harness/held-lock.js';
import { replayed } from '../harness/idempotency-replies.js';
import { until } from '../harness/until.js';
import { type ReceivedMessage, WebhookReceiver } from '../harness/webhook-receiver.js';
import { Instances } from './instances.js';

/** Two services start one after the other, which takes a busy machine a minute. */
jest.setTimeout(180_000);

/** Number of messages for one endpoint, which gets two of them at once. */
const MESSAGES = 20;

let instances: Instances;
/** The service that is started after the kill. */
let revived: ChildService;

/** A person with an agent; each test has its own, whose transactions wait for no others. */
interface Owner {
  readonly person: Person;
  readonly agent: TestAgent;
}
let creating: Owner;
let subscribing: Owner;
let acknowledging: Owner & { readonly deploymentId: string; readonly command: TestCommand };
let polling: Owner & { readonly command: TestCommand };
let logging: Owner;
let notified: Owner & { readonly webhook: TestWebhook; readonly receiver: WebhookReceiver };
/** Attempts under way at the kill. */
let interrupted: ReceivedMessage[];

async function owner(): Promise<Owner> {
  const person = await registerPerson(instances.app());
  return { person, agent: await createAgent(instances.app(), person) };
}

/** The same caller at the restarted service. */
const again = (credential: string) => revived.api.as(credential);

/** Creations with a key: three of one person, and one that takes the same lock as the third. */
const creations: Readonly<Record<string, () => [as: Owner, path: string, body?: object]>> = {
  agent: () => [creating, '/agents', { name: 'once' }],
  deployment: () => [creating, `/agents/${creating.agent.id}/deploy`],
  key: () => [creating, '/api-keys', { name: 'once' }],
  webhook: () => [subscribing, '/webhooks/', { url: 'http://127.0.0.1:9/' }],
};

function create(name: string, as: (person: Person) => ApiClient): Promise<ApiReply<any>> {
  const [{ person }, path, body] = creations[name]!();
  return as(person).post(path, body, { headers: { 'Idempotency-Key': name } });
}

const LEAD = { email: 'lead@example.com', name: 'before the commit' };
const sendLead = ({ api }: ChildService) =>
  api.post('/leads', LEAD, { headers: { 'Idempotency-Key': 'lead' } });

const LINES = { logs: [0, 1, 2].map((line) => ({ level: 'info', message: `line ${line}` })) };
const sendLines = (api: ApiClient) =>
  api.post('/agents/logs', LINES, { headers: { 'Idempotency-Key': 'lines' } });

/** Counts rows. */
async function count(table: string, condition: string, parameters: unknown[] = []): Promise<number> {
  const [row] = await instances.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE ${condition}`,
    parameters,
  );
  return row!.count;
}

/** Each person begins a request, during which the service is killed. */
beforeAll(async () => {
  instances = await Instances.start(1, { COMMAND_LEASE_SECONDS: '3', DATABASE_POOL_SIZE: '40' });
  const { database, first: service } = instances;
  [creating, subscribing, logging] = [await owner(), await owner(), await owner()];
  const [receiver, subscriber] = [await WebhookReceiver.start(), await owner()];
  notified = { ...subscriber, receiver, webhook: await createWebhook(subscriber.person, receiver.url) };
  receiver.hang();
  acknowledging = await deployed(await owner());
  polling = await deployed(await owner());
  await whileGated(
    database,
    ['idempotency_records', 'deployment_events', 'telemetry_batches'],
    'commit',
    (open) =>
      whileHeld(database, 'LOCK TABLE leads IN EXCLUSIVE MODE', async (release) => {
        const lost = [
          ...Object.keys(creations).map((name) => create(name, ({ api }) => api)),
          acknowledge(acknowledging.agent, acknowledging.command.command_id),
          sendLines(logging.agent.runtime),
          sendLead(service),
        ].map((reply) => expect(reply).rejects.toThrow());
        await until(async () => (await waitingForLocks(database)) >= lost.length);
        await queueEvents(instances.app(), notified.webhook.id, MESSAGES);
        await until(() => receiver.hangingCount === 2);
        // A stopped process can't answer, whatever the database does now, and begins nothing more.
        service.process.kill('SIGSTOP');
        interrupted = [...receiver.received];
        await open();
        await until(
          async () => (await count('idempotency_records', 'true')) === Object.keys(creations).length,
        );
        await until(async () => (await count('commands', 'acknowledged_at IS NOT NULL')) === 1);
        await until(async () => (await count('agent_logs', 'true')) === LINES.logs.length);
        await instances.kill(service);
        await Promise.all(lost);
        await release();
      }),
  );
  receiver.answer(200);
  revived = await instances.add();
});

/** Deploys an agent, whose runtime has got the command. */
async function deployed({ person, agent }: Owner) {
  const deploymentId = await deploy(person, agent);
  const [command] = await poll(agent);
  return { person, agent, deploymentId, command: command! };
}

afterAll(async () => {
  await instances.close();
  await notified.receiver.close();
});

describe('A service that is killed between the commit and the reply', () => {
  it('has created each resource: a repeated request with the same Idempotency-Key returns it and creates no second one', async () => {
    for (const name of Object.keys(creations)) {
      const reply = await create(name, ({ accessToken }) => again(accessToken));
      expect([name, [200, 201].includes(reply.status), replayed(reply)]).toEqual([name, true, 'true']);
      if (name === 'agent')
        expect((await again(reply.body.api_key).get('/agents/commands')).status).toBe(200);
    }
    const own = [creating.person.id];
    expect(await count('agents', `name = 'once' AND user_id = $1`, own)).toBe(1);
    expect(await count('deployments', 'user_id = $1', own)).toBe(1);
    expect(await count('api_keys', `name = 'once' AND user_id = $1`, own)).toBe(1);
    expect(await count('webhooks', 'user_id = $1', [subscribing.person.id])).toBe(1);
  });

  it('has stored each batch: a repeated batch with the same Idempotency-Key is not stored again', async () => {
    const reply = await sendLines(again(logging.agent.key));
    expect([reply.status, replayed(reply)]).toEqual([200, 'true']);
    expect(await count('agent_logs', 'agent_id = $1', [logging.agent.id])).toBe(LINES.logs.length);
  });

  it('keeps the first acknowledgement if a later one contradicts it', async () => {
    const { person, agent, deploymentId, command } = acknowledging;
    const runtime = again(agent.key);
    for (const reply of [{ success: false, error: 'no' }, { success: true }]) {
      const repeated = await acknowledge({ ...agent, runtime }, command.command_id, reply);
      expect([repeated.status, repeated.body]).toEqual([
        200,
        { status: 'ok', command_id: command.command_id, duplicate: true },
      ]);
    }
    const { body } = await again(person.accessToken).get(`/deployments/${deploymentId}`);
    expect([body.status, body.error_message]).toEqual(['running', null]);
    expect(await count('commands', `state = 'succeeded' AND agent_id = $1`, [agent.id])).toBe(1);
    expect(await count('deployment_events', 'user_id = $1', [person.id])).toBe(2);
  });
});

describe('A service that is killed before the commit', () => {
  it('has created nothing: a repeated request with the same Idempotency-Key creates one resource', async () => {
    const own = 'email = $1';
    expect(await count('leads', own, [LEAD.email])).toBe(0);
    // The database may not have noticed the end of the service yet.
    const reply = await until(async () => {
      const repeated = await sendLead(revived);
      return repeated.status !== 409 && repeated;
    });
    expect([reply.status, replayed(reply)]).toEqual([201, null]);
    expect(await count('leads', own, [LEAD.email])).toBe(1);
  });
});

describe('A service that is killed after a command was leased', () => {
  it('delivers the command again when the lease ends, to exactly one of many polls', async () => {
    const { agent, command: first } = polling;
    const runtime = again(agent.key);
    const delivered: TestCommand[] = [];
    let isSettled = false;
    // The poll that gets the command acknowledges it at once, so the others need not wait.
    const pollUntilSettled = async () => {
      while (!isSettled) {
        for (const command of await poll({ ...agent, runtime }, '?wait=1')) {
          delivered.push(command);
          const { body } = await acknowledge({ ...agent, runtime }, command.command_id);
          expect(body.duplicate).toBeUndefined();
          isSettled = true;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, pollUntilSettled));
    expect(delivered).toEqual([
      { ...first, attempt: 2, expires_at: expect.not.stringMatching(first.expires_at) },
    ]);
    // The killed service's lease was kept: the second one began after its end, by the database's clock.
    expect(delivered[0]!.expires_at > first.expires_at).toBe(true);
    expect(await count('commands', `leased_at < '${first.expires_at}' AND agent_id = $1`, [agent.id])).toBe(
      0,
    );
  });
});

describe('A dispatcher that is killed in the middle of its attempts', () => {
  it('loses no message: each is sent again with the same id and body', async () => {
    const { receiver, webhook } = notified;
    // Deliveries that were not begun are sent; begun ones, after the end of their lease.
    await until(() => new Set(receiver.received.map(idOf)).size === MESSAGES);
    expect(receiver.received).toHaveLength(MESSAGES);
    await makeDue(instances.app(revived), webhook.id);
    const own = [webhook.id];
    await until(
      async () =>
        (await count('webhook_deliveries', `status = 'succeeded' AND webhook_id = $1`, own)) === MESSAGES,
    );
    for (const { headers, body } of interrupted) {
      const sent = receiver.received.filter((message) => idOf(message) === headers['webhook-id']);
      expect(sent.map((message) => message.body)).toEqual([body, body]);
    }
    expect(receiver.received).toHaveLength(MESSAGES + 2);
    expect(await count('webhook_deliveries', 'attempts = 2 AND webhook_id = $1', own)).toBe(2);
  });
});

const idOf = ({ headers }: { headers: Readonly<Record<string, string>> }) => headers['webhook-id'];
