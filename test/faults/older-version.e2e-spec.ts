import { jest } from '@jest/globals';
import { acknowledge, createAgent, deploy, obey, poll, report, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createWebhook } from '../builders/webhooks.js';
import { ApiClient } from '../harness/api-client.js';
import type { ChildService } from '../harness/child-service.js';
import { createTestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { Balancer } from './balancer.js';
import { Instances } from './instances.js';
import { dailyRequests, Traffic } from './traffic.js';

/** Two processes are started, and a busy machine takes half a minute for one. */
jest.setTimeout(300_000);

/** The compiled service of the older version; `npm run test:upgrade` builds it and sets this. */
const older = process.env.OLDER_SERVICE;

(older === undefined ? describe.skip : describe)('An older version beside this one', () => {
  let instances: Instances;
  let receiver: WebhookReceiver;
  let balancer: Balancer;

  beforeAll(async () => {
    // Thirty probes of the balancer: a busy machine may miss many of them.
    const settings = { SHUTDOWN_DELAY_SECONDS: '3', DRAIN_TIMEOUT_SECONDS: '60' };
    instances = await Instances.start(0, settings, await createTestDatabase('template0'));
    receiver = await WebhookReceiver.start(true);
    balancer = await Balancer.start(() => instances.all.map(({ url }) => url));
  });

  afterAll(async () => {
    await balancer.close();
    await receiver.close();
    await instances.close();
  });

  it('serves people and agents like this version, before, during and after the migration', async () => {
    const before = await instances.add({}, older);
    await until(() => balancer.readyCount === 1);
    const outside = { api: new ApiClient(balancer.url, undefined, true) };
    const person = await registerPerson(outside);
    await createWebhook(person, receiver.url);
    const quiet = await quietPerson(before, receiver.url);
    const traffic = new Traffic(await dailyRequests(outside, person));
    const allSeen = async () => {
      traffic.forget();
      await until(() => traffic.isComplete);
    };
    try {
      await allSeen();
      const after = await instances.add();
      await until(() => balancer.readyCount === 2);
      await allSeen();
      for (const people of [before, after])
        for (const runtime of [before, after]) await wholeLife(person, people, runtime);
      for (const service of [before, after]) expect(await quiet.seenAt(service)).toMatchObject(quiet.seen);
      await credentialsWork(quiet, after);
      await createAgent(after, await registerPerson(before));
      expect(await before.end('SIGTERM')).toBe(0);
      await allSeen();
    } finally {
      await traffic.end();
    }
    expect([...traffic.unsuccessful]).toEqual([]);
    await until(() => receiver.events.filter(({ type }) => type === 'deployment.kill').length === 4);
  });
});

/** A person who has made one of each thing at the older version, and what they see of it. */
async function quietPerson(older: ChildService, webhookUrl: string) {
  const person = await registerPerson(older);
  const agent = await createAgent(older, person, { config: '{"command": ["true"]}' });
  await deploy(person, agent);
  await createWebhook(person, webhookUrl);
  const { key } = (await person.api.post('/api-keys', { name: 'ci' })).body;
  const lists = ['/agents', '/deployments', '/webhooks/', '/api-keys', '/events'];
  const paths = ['/auth/me', `/agents/${agent.id}`, ...lists];
  const seenAt = async ({ api }: ChildService) => {
    const replies = await Promise.all(paths.map((path) => api.as(person.accessToken).get(path)));
    return replies.map(({ status, body }) => ({ status, body: withoutWords(body) }));
  };
  return { person, agent, key, seenAt, seen: await seenAt(older) };
}

/** A reply without its lines for people: a newer version may say the same in other words. */
function withoutWords(body: unknown): unknown {
  const isLine = (name: string) => name === 'reason' || name === 'waiting_reason';
  return JSON.parse(JSON.stringify(body), (name, value) => (isLine(name) ? undefined : value));
}

/** The credentials that the older version issued do at the newer one what they did before. */
async function credentialsWork(
  { person, agent, key }: Awaited<ReturnType<typeof quietPerson>>,
  { api }: ChildService,
): Promise<void> {
  const [listed] = (await api.as(key).get('/agents')).body;
  expect(listed).toMatchObject({ id: agent.id, user_id: person.id, project_id: person.id });
  expect((await api.as(agent.key).post('/agents/heartbeat', {})).status).toBe(200);
  const renewed = await api.post('/auth/refresh', { refresh_token: person.refreshToken });
  expect(renewed.status).toBe(200);
  expect((await api.as(renewed.body.access_token).get(`/agents/${agent.id}`)).status).toBe(200);
}

/** Requests each step of a deployment at one instance and carries it out at the other; its history has no gap. */
async function wholeLife(person: Person, people: ChildService, runtime: ChildService): Promise<void> {
  const owner = { ...person, api: people.api.as(person.accessToken) };
  const config = '{"command": ["true"]}';
  const made = await createAgent(people, owner, { config });
  const agent = { ...made, runtime: runtime.api.as(made.key) };
  const succeeds = async (path: string, body?: object) =>
    expect((await owner.api.post(path, body)).status).toBe(200);
  expect((await agent.runtime.post('/agents/register', { name: 'both' })).status).toBe(200);
  const id = await deploy(owner, agent);
  const [command] = await poll(agent);
  expect(command).toMatchObject({ action: 'deploy', parameters: { deployment_id: id, replicas: 1, config } });
  expect((await acknowledge(agent, command!.command_id)).status).toBe(200);
  await report(agent, id, { status: 'running', ready_replicas: 1 });
  await succeeds(`/deployments/${id}/scale`, { replicas: 2 });
  expect(await carriedOut(agent)).toEqual(['scale']);
  await report(agent, id, { ready_replicas: 2 });
  await succeeds(`/agents/${agent.id}/stop`);
  expect(await carriedOut(agent)).toEqual(['stop']);
  await succeeds(`/deployments/${id}/restart`);
  expect(await carriedOut(agent)).toEqual(['restart']);
  expect((await owner.api.delete(`/deployments/${id}`)).status).toBe(204);
  expect(await carriedOut(agent)).toEqual(['kill']);
  for (const { api } of [people, runtime]) {
    const { body } = await api.as(person.accessToken).get(`/deployments/${id}/events`);
    const sequences = body.items.map(({ sequence }: { sequence: number }) => sequence).reverse();
    expect(body.deployment_status).toBe('killed');
    expect(sequences).toEqual(sequences.map((_: number, index: number) => index + 1));
  }
}

/**
 * Polls until commands arrive: the polled instance has cached an empty queue, until it is notified of the command that
 * the other one has added.
 */
function carriedOut(agent: TestAgent): Promise<string[]> {
  return until(async () => {
    const actions = await obey(agent);
    return actions.length > 0 && actions;
  });
}
