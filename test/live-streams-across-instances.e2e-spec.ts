import { randomInt } from 'node:crypto';
import { jest } from '@jest/globals';
import { Client } from 'pg';
import { Drain } from '../src/http/drain.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { EventStream } from './harness/event-stream.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** Dozens of connections in a test, one after the other, and as many changes. */
jest.setTimeout(90_000);

let instances: TestApp[];
let person: Person;
const opened: EventStream[] = [];

beforeAll(async () => {
  const app = await startTestApp();
  instances = [app, await startTestApp({ database: app.database })];
  person = await registerPerson(app);
});

afterEach(() => opened.splice(0).forEach((stream) => stream.close()));

afterAll(async () => {
  for (const instance of [...instances].reverse()) await instance.close();
});

async function open(instance: number, path: string, lastEventId?: string): Promise<EventStream> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const stream = await EventStream.open(instances[instance]!.url, path, {
    credential: person.accessToken,
    headers,
  });
  expect(stream.status).toBe(200);
  opened.push(stream);
  return stream;
}

const as = (instance: number, credential: string) => instances[instance]!.api.as(credential);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/**
 * Follows a stream over connections that are cut repeatedly, each time on the other instance.
 *
 * @param work causes the events, while the connections are cut
 * @param count number of events
 */
async function followRestlessly(
  path: string,
  work: () => Promise<unknown>,
  count: () => number,
): Promise<any[]> {
  const received: any[] = [];
  let stream = await open(0, path);
  await until(() => stream.lastEventId);
  let isDone = false;
  const working = work().finally(() => (isDone = true));
  for (let connection = 1; !isDone || received.length < count(); connection++) {
    const enough = randomInt(1, 12);
    await until(
      () => stream.data.length >= enough || (isDone && received.length + stream.data.length >= count()),
    );
    stream.close();
    await until(() => stream.isClosed);
    received.push(...stream.data);
    stream = await open(connection % 2, path, stream.lastEventId);
  }
  await working;
  return received;
}

describe('A stream on one instance', () => {
  it('sends events that were created on another instance', async () => {
    const { id } = await stageDeployment(instances[0]!, person, 'running');
    const stream = await open(1, `/deployments/${id}/events/stream`);
    for (const replicas of [2, 3]) await person.api.post(`/deployments/${id}/scale`, { replicas });
    expect((await stream.has(2)).map((event) => event.replicas)).toEqual([2, 3]);
  });
});

describe('A stream that reconnects to the other instance repeatedly', () => {
  it("sends each of a deployment's events exactly once", async () => {
    const { id } = await stageDeployment(instances[0]!, person, 'running');
    const events = await followRestlessly(
      `/deployments/${id}/events/stream`,
      async () => {
        for (let count = 0; count < 60; count++) {
          await as(count % 2, person.accessToken).post(`/deployments/${id}/scale`, {
            replicas: 1 + (count % 9),
          });
        }
      },
      () => 60,
    );
    expect(events.map((event) => event.sequence)).toEqual(upTo(60).map((number) => number + 2));
  });

  it("sends each of a user's events exactly once", async () => {
    person = await registerPerson(instances[0]!);
    const agents: TestAgent[] = [];
    for (let count = 0; count < 4; count++) agents.push(await createAgent(instances[0]!, person));
    const events = await followRestlessly(
      '/events/stream',
      () =>
        Promise.all(
          agents.map(async (agent, index) => {
            for (let count = 0; count < 20; count++) {
              await as((index + count) % 2, person.accessToken).post(`/agents/${agent.id}/deploy`);
            }
          }),
        ),
      () => 80,
    );
    expect(events.map((event) => event.user_sequence)).toEqual(upTo(80));
  });

  it('sends each log line exactly once while both instances write lines with unordered times', async () => {
    const agent = await createAgent(instances[0]!, person);
    let count = 0;
    const write = async (writer: number) => {
      for (let batch = 0; batch < 30; batch++) {
        const logs = Array.from({ length: randomInt(1, 12) }, () => ({
          level: 'info',
          message: String(count++),
          timestamp: new Date(Date.now() - randomInt(2 * 3_600_000)).toISOString(),
        }));
        expect((await as(writer % 2, agent.key).post('/agents/logs', { logs })).status).toBe(200);
      }
    };
    const lines = await followRestlessly(
      `/agents/${agent.id}/logs/stream`,
      () => Promise.all([0, 1, 2, 3].map(write)),
      () => count,
    );
    const numbers = lines.map((line) => Number(line.message));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.sort((one, other) => one - other)).toEqual(upTo(count).map((number) => number - 1));
  });
});

describe('The log lines of an agent', () => {
  it('are sent in the order of their commits from any position, and delay no other agent', async () => {
    const [agent, other] = [
      await createAgent(instances[0]!, person),
      await createAgent(instances[0]!, person),
    ];
    const path = `/logs/stream?agent_id=${agent.id}&agent_id=${other.id}`;
    const log = (of: TestAgent, message: string, instance: number) =>
      as(instance, of.key).post('/agents/logs', { level: 'info', message });
    await log(agent, 'before', 0);
    const stream = await open(0, path);
    await until(() => stream.lastEventId);
    const slow = new Client(instances[0]!.database.target);
    await slow.connect();
    try {
      await slow.query('BEGIN');
      await slow.query(
        `WITH numbered AS (
           UPDATE agent_log_positions SET last_position = last_position + 3 WHERE agent_id = $1 RETURNING last_position)
         INSERT INTO agent_logs (agent_id, "timestamp", id, level, message, position)
         SELECT $1, now(), gen_random_uuid(), 'info', 'slow ' || n, last_position - 3 + n
         FROM numbered, generate_series(1, 3) AS n`,
        [agent.id],
      );
      const quick = log(agent, 'quick', 1);
      await log(other, 'other', 0);
      await stream.has(1);
      await slow.query('COMMIT');
      expect((await quick).status).toBe(200);
      const messages = (await stream.has(5)).map((line) => line.message);
      const all = ['other', 'slow 1', 'slow 2', 'slow 3', 'quick'];
      expect(messages).toEqual(all);
      for (const [index, { id }] of stream.events.entries()) {
        const resumed = await open(index % 2, path, id);
        const rest = all.slice(index + 1);
        expect((await resumed.has(rest.length)).map((line) => line.message)).toEqual(rest);
      }
    } finally {
      await slow.end();
    }
  });

  it('are all sent, each once and in their order, when hundreds of several agents come at once', async () => {
    const agents: TestAgent[] = [];
    for (let count = 0; count < 3; count++) agents.push(await createAgent(instances[0]!, person));
    const path = `/logs/stream?${agents.map(({ id }) => `agent_id=${id}`).join('&')}`;
    const stream = await open(0, path);
    await until(() => stream.lastEventId);
    const counts = [500, 40, 1];
    await Promise.all(
      agents.map(({ key }, index) => {
        const logs = upTo(counts[index]!).map((number) => ({ level: 'info', message: String(number) }));
        return as(index % 2, key).post('/agents/logs', { logs });
      }),
    );
    const lines = await stream.has(541);
    for (const [index, { id }] of agents.entries())
      expect(lines.filter((line) => line.agent_id === id).map((line) => Number(line.message))).toEqual(
        upTo(counts[index]!),
      );
    const middle = stream.events[300]!.id;
    const resumed = await open(1, path, middle);
    expect((await resumed.has(240)).map(({ id }) => id).sort()).toEqual(
      lines
        .slice(301)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('are not read from a position of other agents', async () => {
    const [agent, other] = [
      await createAgent(instances[0]!, person),
      await createAgent(instances[0]!, person),
    ];
    const stream = await open(0, `/agents/${agent.id}/logs/stream`);
    await until(() => stream.lastEventId);
    const refused = await EventStream.open(instances[0]!.url, `/agents/${other.id}/logs/stream`, {
      credential: person.accessToken,
      headers: { 'last-event-id': stream.lastEventId },
    });
    expect(refused.status).toBe(422);
  });

  it('are refused to a reader whose position the database does not know, as after a restore', async () => {
    const agent = await createAgent(instances[0]!, person);
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'one' });
    const stream = await open(0, `/agents/${agent.id}/logs/stream`);
    await until(() => stream.lastEventId);
    await instances[0]!.database.query(
      'UPDATE agent_log_positions SET last_position = 0 WHERE agent_id = $1',
      [agent.id],
    );
    const refused = await EventStream.open(instances[1]!.url, `/agents/${agent.id}/logs/stream`, {
      credential: person.accessToken,
      headers: { 'last-event-id': stream.lastEventId },
    });
    expect(refused.status).toBe(422);
  });
});

describe('Shutdown', () => {
  it('sends every stream an end event, and the client resumes on another instance', async () => {
    const ending = await startTestApp({ database: instances[0]!.database });
    instances.push(ending);
    const { agent, id } = await stageDeployment(instances[0]!, person, 'running');
    const paths = [`/deployments/${id}/events/stream`, '/events/stream', `/agents/${agent.id}/logs/stream`];
    const streams = await Promise.all(paths.map((path) => open(2, path)));
    await Promise.all(streams.map((stream) => until(() => stream.lastEventId)));
    ending.app.get(Drain).begin();
    for (const stream of streams) expect(await stream.ended()).toBe('shutdown');
    const refused = await EventStream.open(ending.url, '/events/stream', { credential: person.accessToken });
    expect(refused.status).toBe(503);
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'meanwhile' });
    for (const [index, path] of paths.entries()) {
      expect(await (await open(0, path, streams[index]!.lastEventId)).has(1)).toHaveLength(1);
    }
  });

  it('sends the end event also when the application is closed without a drain', async () => {
    const ending = await startTestApp({ database: instances[0]!.database });
    instances.push(ending);
    const stream = await open(instances.length - 1, '/events/stream');
    await until(() => stream.lastEventId);
    instances.pop();
    await ending.close();
    expect(await stream.ended()).toBe('shutdown');
  });
});
