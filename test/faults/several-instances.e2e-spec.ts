import { createAgent, deploy, obey, report, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createWebhook, queueEvents, WEBHOOK_SETTINGS } from '../builders/webhooks.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { withinASecond } from '../harness/within-a-second.js';

const SETTINGS = {
  ...WEBHOOK_SETTINGS,
  MONITOR_INTERVAL_SECONDS: '1',
  // as short as possible: the monitor declares no losses before
  HEARTBEAT_INTERVAL_SECONDS: '1',
  HEARTBEAT_TIMEOUT_SECONDS: '2',
};
/** Number of rounds in which every instance gets the same requests at once. */
const ROUNDS = 10;
/** Number of messages for each of three receivers. */
const MESSAGES = 60;

let instances: TestApp[];
let database: TestDatabase;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  database = await createTestDatabase();
  instances = await Promise.all([1, 2, 3].map(() => startTestApp({ settings: SETTINGS, database })));
});

beforeEach(async () => {
  person = await registerPerson(instances[0]!);
  agent = await createAgent(instances[0]!, person);
});

afterAll(async () => {
  await expectCleanAudit(database);
  await Promise.all(instances.map((instance) => instance.close()));
  await database.drop();
});

/** The same caller at every instance. */
const everywhere = (credential: string) => instances.map(({ api }) => api.as(credential));

async function eventsOf(id: string): Promise<{ event_type: string; sequence: number; status: string }[]> {
  return (await person.api.get(`/deployments/${id}/events?limit=500`)).body.items.reverse();
}

/** Keeps the agent from being lost, by an interval that is longer than any test. */
async function neverLost(): Promise<void> {
  await database.query('UPDATE agent_presence SET assigned_interval_seconds = 3600 WHERE agent_id = $1', [
    agent.id,
  ]);
}

describe('Three instances', () => {
  it('carry out concurrent transitions of one deployment once each, one after the other', async () => {
    const id = await deploy(person, agent);
    await obey(agent);
    await neverLost();
    const people = everywhere(person.accessToken);
    const count = { scale: 0, restart: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const stops = await Promise.all(people.map((api) => api.post(`/agents/${agent.id}/stop`)));
      expect(stops.map(({ status }) => status)).toEqual([200, 200, 200]);
      // Only one of them had something to stop.
      expect(stops.map(({ body }) => body.stopped).sort()).toEqual([0, 0, 1]);
      const restarts = await Promise.all(people.map((api) => api.post(`/deployments/${id}/restart`)));
      expect(restarts.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      count.restart++;
      await report(agent, id, { status: 'running' });
      const scales = await Promise.all(
        people.map((api, index) => api.post(`/deployments/${id}/scale`, { replicas: index + 1 })),
      );
      expect(scales.map(({ status }) => status)).toEqual([200, 200, 200]);
      count.scale += 3;
    }
    const events = await eventsOf(id);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    const steps = Map.groupBy(events, (event) => event.event_type);
    expect([steps.get('stop')?.length, steps.get('restart')?.length, steps.get('scale')?.length]).toEqual([
      ROUNDS,
      count.restart,
      count.scale,
    ]);
  });

  it('create one agent for one Idempotency-Key, whichever instance gets the requests', async () => {
    const people = everywhere(person.accessToken);
    const headers = { 'Idempotency-Key': 'one of all' };
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        people[index % people.length]!.post('/agents', { name: 'one of all' }, { headers }),
      ),
    );
    expect(replies.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual(
      [],
    );
    const ids = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    const { body } = await person.api.get('/agents');
    expect(body.filter(({ name }: { name: string }) => name === 'one of all')).toHaveLength(1);
  });

  it('send each webhook message once', async () => {
    const receivers = await Promise.all([1, 2, 3].map(() => WebhookReceiver.start()));
    try {
      for (const receiver of receivers) {
        const { id } = await createWebhook(person, receiver.url);
        await queueEvents(instances[0]!, id, MESSAGES);
      }
      await until(() => receivers.every(({ received }) => received.length >= MESSAGES));
      const left = `SELECT FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL`;
      await until(async () => (await database.query(left)).length === 0);
      for (const { received } of receivers) {
        expect(received).toHaveLength(MESSAGES);
        expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(MESSAGES);
      }
    } finally {
      await Promise.all(receivers.map((receiver) => receiver.close()));
    }
  });

  it('declare an agent lost once and send one event about it', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      await createWebhook(person, receiver.url, { events: ['deployment.heartbeat_lost'] });
      const id = await deploy(person, agent);
      await obey(agent);
      // Its last call: it is then silent for longer than its timeout.
      await report(agent, id, { status: 'running' });
      await until(async () => (await eventsOf(id)).at(-1)?.event_type === 'heartbeat_lost');
      // Another silent agent proves that the monitors are still running.
      const later = await createAgent(instances[0]!, person);
      const theirs = await deploy(person, later);
      await obey(later);
      await report(later, theirs, { status: 'running' });
      await until(async () => (await eventsOf(theirs)).at(-1)?.event_type === 'heartbeat_lost');
      await until(() => receiver.received.length >= 2);
      const lost = (await eventsOf(id)).filter(({ event_type: type }) => type === 'heartbeat_lost');
      expect(lost).toHaveLength(1);
      const told = receiver.events.map(({ data }) => data.deployment.id as string);
      expect(told.sort()).toEqual([id, theirs].sort());
    } finally {
      await receiver.close();
    }
  });

  it('all refuse a key within a second after it was revoked under load', async () => {
    await neverLost();
    const { id, key } = (await person.api.post('/api-keys', { name: 'stolen', agent_id: agent.id })).body;
    const thieves = everywhere(key);
    const seen: number[] = [];
    let isOver = false;
    const traffic = thieves.map(async (thief) => {
      while (!isOver) seen.push((await thief.post('/agents/heartbeat', {})).status);
    });
    try {
      await until(() => seen.length > 60);
      expect(new Set(seen)).toEqual(new Set([200]));
      expect((await person.api.delete(`/api-keys/${id}`)).status).toBe(204);
      await Promise.all(
        thieves.map((thief) =>
          withinASecond(async () => (await thief.post('/agents/heartbeat', {})).status === 401),
        ),
      );
      // The key stays refused.
      for (const thief of thieves) expect((await thief.get('/agents/commands')).status).toBe(401);
    } finally {
      isOver = true;
      await Promise.all(traffic);
    }
    expect((await agent.runtime.post('/agents/heartbeat', {})).status).toBe(200);
  });
});
