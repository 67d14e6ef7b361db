import { jest } from '@jest/globals';
import { Client } from 'pg';
import { LockedAgentsRepository } from '../src/agents/locked-agents.repository.js';
import { ADVISORY_LOCKS } from '../src/database/advisory-locks.js';
import { beginRemoval, createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createWebhook, deliveriesOf, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** Concurrent registrations are committed together, with the same effect as alone. */
let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
  person = await registerPerson(app);
});

afterAll(() => app.close());

afterEach(() => jest.restoreAllMocks());

const createAgents = (count: number) =>
  Promise.all(Array.from({ length: count }, () => createAgent(app, person)));
const start = (agent: TestAgent, body: object = {}) => agent.runtime.post('/agents/register', body);
const read = async (agent: TestAgent) => (await person.api.get(`/agents/${agent.id}`)).body;

/** Locks agents' rows, as another transaction would, until they are released. */
async function holding(agents: readonly TestAgent[], work: (letGo: () => Promise<unknown>) => Promise<void>) {
  const other = new Client(app.database.target);
  await other.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT FROM agents WHERE id = ANY ($1) FOR UPDATE', [agents.map(({ id }) => id)]);
    await work(() => other.query('COMMIT'));
  } finally {
    await other.end();
  }
}

describe('Runtimes that register at the same time', () => {
  it('are recorded one by one, with one agent.registered event for each', async () => {
    const agents = await createAgents(40);
    const deploymentId = await deploy(person, agents[7]!);
    const webhook = await createWebhook(person, 'http://127.0.0.1:9/', {
      events: ['agent.registered', 'agent.status_changed'],
    });
    const transactions = jest.spyOn(app.app.get(LockedAgentsRepository), 'lockFree');
    const replies = await Promise.all(
      agents.map((agent, index) => start(agent, { hostname: `host-${index}`, metadata: { index } })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies.map(({ body }) => body.agent_id)).toEqual(agents.map(({ id }) => id));
    expect(replies.map(({ body }) => body.deployments.map(({ id }: { id: string }) => id))).toEqual(
      agents.map((_, index) => (index === 7 ? [deploymentId] : [])),
    );
    expect(transactions.mock.calls.length).toBeLessThan(agents.length);
    for (const [index, agent] of agents.entries()) {
      expect(await read(agent)).toMatchObject({ status: 'running', hostname: `host-${index}` });
    }
    const told = (await deliveriesOf(person, webhook.id)).map(({ payload }) => JSON.parse(payload));
    for (const [index, { id }] of agents.entries()) {
      const events = told.filter(({ data }) => data.agent.id === id).reverse();
      // The event of the deployment has been sent before.
      const types = index === 7 ? ['agent.registered'] : ['agent.status_changed', 'agent.registered'];
      expect(events.map(({ type }) => type)).toEqual(types);
      expect(events.at(-1).data.agent).toMatchObject({ status: 'running', hostname: `host-${index}` });
      if (index !== 7) expect(events[0].data.previous_status).toBe('creating');
    }
  });

  it('do not update the row of an agent whose details are unchanged', async () => {
    const [agent] = await createAgents(1);
    const details = { hostname: 'host', capabilities: ['chat'], metadata: { a: [1], b: null } };
    await start(agent!, details);
    const version = () => app.database.query('SELECT xmin FROM agents WHERE id = $1', [agent!.id]);
    const before = await version();
    expect((await start(agent!, { ...details, metadata: { b: null, a: [1] } })).status).toBe(200);
    expect(await version()).toEqual(before);
    expect((await start(agent!, { ...details, metadata: { b: null } })).status).toBe(200);
    expect(await version()).not.toEqual(before);
  });

  it('are online since they registered', async () => {
    const [agent] = await createAgents(1);
    await start(agent!);
    await app.database.query(
      `UPDATE agent_presence SET online_since = now() - interval '1 hour' WHERE agent_id = $1`,
      [agent!.id],
    );
    const since = () =>
      app.database.query<{ fresh: boolean }>(
        `SELECT online_since > now() - interval '1 minute' AS fresh FROM agent_presence WHERE agent_id = $1`,
        [agent!.id],
      );
    await agent!.runtime.post('/agents/heartbeat', {});
    expect(await since()).toEqual([{ fresh: false }]);
    // In one group with a heartbeat of the same agent, both are recorded.
    const [reply] = await Promise.all([start(agent!), agent!.runtime.post('/agents/heartbeat', {})]);
    expect(reply.status).toBe(200);
    expect(await since()).toEqual([{ fresh: true }]);
  });

  it('do not wait for an agent whose row is locked', async () => {
    const agents = await createAgents(6);
    await holding(agents.slice(0, 2), async (letGo) => {
      const replies = agents.map((agent) => start(agent, { version: '2' }));
      let held = 0;
      for (const reply of replies.slice(0, 2)) void reply.then(() => held++);
      for (const reply of await Promise.all(replies.slice(2))) expect(reply.status).toBe(200);
      expect(held).toBe(0);
      await letGo();
      for (const reply of await Promise.all(replies.slice(0, 2))) expect(reply.status).toBe(200);
    });
    for (const agent of agents) expect(await read(agent)).toMatchObject({ version: '2', status: 'running' });
  });

  it('are both recorded when one agent registers twice at once', async () => {
    const [agent] = await createAgents(1);
    const webhook = await createWebhook(person, 'http://127.0.0.1:9/', { events: ['agent.registered'] });
    const replies = await Promise.all([start(agent!, { version: '1' }), start(agent!, { hostname: 'h' })]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await read(agent!)).toMatchObject({ version: '1', hostname: 'h' });
    await until(async () => (await deliveriesOf(person, webhook.id)).length === 2);
  });

  it('succeed when one of the agents has just been deleted', async () => {
    const [gone, ...others] = await createAgents(4);
    await start(gone!);
    // With this lock, no background purge removes the agent's data, including its keys.
    await app.database.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.removalPurge]);
    await beginRemoval(app.database, gone!.id);
    const [refused, ...replies] = await Promise.all([gone!, ...others].map((agent) => start(agent)));
    expect([refused!.status, refused!.body.message]).toEqual([404, 'Agent not found']);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('commit the reply and the change together under an Idempotency-Key', async () => {
    const [agent] = await createAgents(1);
    const webhook = await createWebhook(person, 'http://127.0.0.1:9/', { events: ['agent.registered'] });
    const once = () =>
      agent!.runtime.post(
        '/agents/register',
        { version: '3' },
        { headers: { 'Idempotency-Key': 'start-1' } },
      );
    const first = await once();
    const again = await once();
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await deliveriesOf(person, webhook.id)).toHaveLength(1);
  });
});

describe('A runtime that registers with another name', () => {
  it('renames its agent with an entry in the audit log, and writes no entry when the name is unchanged', async () => {
    const agent = await createAgent(app, person, { name: 'mine' });
    for (const name of ['mine', 'theirs', 'theirs']) {
      await start(agent, { name, hostname: 'a', version: '1' });
    }
    const changes = await person.api.get(`/audit?target_id=${agent.id}&action=agent.update`);
    expect(changes.body).toMatchObject([
      { actor: `agent:${agent.id}`, address: '127.0.0.1', details: { properties: ['name'] } },
    ]);
  });
});
