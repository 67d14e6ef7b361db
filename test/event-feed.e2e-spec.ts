import { jest } from '@jest/globals';
import { Client } from 'pg';
import { Database } from '../src/database/database.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, deploy, historyOf, obey } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { stageDeployment, type StagedDeployment } from './harness/deployment-states.js';
import { expectError } from './harness/error-shape.js';
import { untilSomeoneWaits, whileGated, whileHeld } from './harness/held-lock.js';
import { SEVERAL_CONNECTIONS, startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
/** Another instance on the same database. */
let other: TestApp;
/** A new person for each test, because each project has its own sequence. */
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: SEVERAL_CONNECTIONS });
  other = await startTestApp({ database: app.database, settings: SEVERAL_CONNECTIONS });
});

beforeEach(async () => {
  person = await registerPerson(app);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

interface FeedEvent {
  user_sequence: number;
  sequence: number;
  event_type: string;
  agent_id: string;
  deployment_id: string;
}

async function read(query = '', reader = person): Promise<FeedEvent[]> {
  const { status, body } = await reader.api.get(`/events${query}`);
  expect(status).toBe(200);
  return body;
}

const numbersOf = (events: FeedEvent[]) => events.map((event) => event.user_sequence);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Reads all events, page by page; each page must continue at the end of the previous one. */
async function follow(instance: TestApp, limit: number, isOver: () => boolean): Promise<FeedEvent[]> {
  const client = instance.api.as(person.accessToken);
  const events: FeedEvent[] = [];
  for (;;) {
    const wasOver = isOver();
    const { body } = await client.get(`/events?after=${events.length}&limit=${limit}`);
    expect(numbersOf(body)).toEqual(upTo(body.length).map((number) => number + events.length));
    events.push(...body);
    if (body.length === 0 && wasOver) return events;
  }
}

describe('The event feed', () => {
  it("lists every event of the caller's deployments in one sequence, oldest first", async () => {
    const one = await createAgent(app, person);
    const two = await createAgent(app, person);
    const first = await deploy(person, one);
    const second = await deploy(person, two);
    await obey(one);
    await person.api.post(`/agents/${two.id}/stop`);
    const events = await read();
    expect(numbersOf(events)).toEqual([1, 2, 3, 4]);
    expect(events.map((event) => [event.deployment_id, event.sequence, event.event_type])).toEqual([
      [first, 1, 'deploy'],
      [second, 1, 'deploy'],
      [first, 2, 'running'],
      [second, 2, 'stop'],
    ]);
    const [inHistory] = await historyOf(person, second);
    expect(events[3]).toEqual({ ...inHistory, agent_id: two.id, user_sequence: 4 });
  });

  it('continues after the highest number that the caller has', async () => {
    const { id } = await stageDeployment(app, person, 'running');
    for (let replicas = 2; replicas <= 4; replicas++) {
      await person.api.post(`/deployments/${id}/scale`, { replicas });
    }
    expect(numbersOf(await read('?after=3'))).toEqual([4, 5]);
    expect(numbersOf(await read('?limit=5'))).toEqual([1, 2, 3, 4, 5]);
    expect(await read('?after=5')).toEqual([]);
    const reply = await person.api.get('/events?after=1&limit=2');
    expect(numbersOf(reply.body)).toEqual([2, 3]);
    expect(reply.headers.get('link')).toBe('</events?after=3&limit=2>; rel="next"');
    expect((await person.api.get('/events?after=3&limit=2')).headers.get('link')).toBeNull();
    expect((await person.api.get('/events?after=3&limit=2')).headers.get('x-total-count')).toBeNull();
  });

  it('refuses a number that was never assigned, as the stream does', async () => {
    const { id } = await stageDeployment(app, person, 'running');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    expect(await read('?after=3')).toEqual([]);
    for (const after of [4, Number.MAX_SAFE_INTEGER]) {
      const [listed, followed] = [
        await person.api.get(`/events?after=${after}`),
        await person.api.get(`/events/stream?after=${after}`),
      ];
      expectError(listed, 422, 'after is no longer known: start the stream without it');
      expectError(followed, 422, 'Last-Event-ID is no longer known: start the stream without it');
    }
    const newcomer = await registerPerson(app);
    expect(await read('', newcomer)).toEqual([]);
    expectError(await newcomer.api.get('/events?after=1'), 422);
  });

  it('reads the last number only when a page is empty', async () => {
    await stageDeployment(app, person, 'running');
    const told = jest.spyOn(app.app.get(Database).people.requireDataSource().logger, 'logQuery');
    const countersRead = () =>
      told.mock.calls.filter(([statement]) => /^SELECT.+FROM "user_event_counters"/s.test(statement)).length;
    await read('');
    await read('?after=1');
    expect(countersRead()).toBe(0);
    await read('?after=2');
    expect(countersRead()).toBe(1);
    told.mockRestore();
  });

  it("returns only the caller's events, also to their API keys", async () => {
    const { id } = await stageDeployment(app, person, 'deploying');
    const stranger = await registerPerson(app);
    expect(await read('', stranger)).toEqual([]);
    const { key } = (await person.api.post('/api-keys', { name: 'consumer' })).body;
    const { body } = await app.api.as(key).get('/events');
    expect(body.map((event: FeedEvent) => event.deployment_id)).toEqual([id]);
    expectError(await app.api.get('/events'), 401);
  });

  it.each(['after=-1', 'after=x', 'after=1.5', 'after=9007199254740992', 'limit=0', 'limit=501', 'limit=x'])(
    'refuses %s',
    async (query) => {
      expectError(await person.api.get(`/events?${query}`), 422);
    },
  );

  it('keeps the events of deleted agents', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await obey(agent);
    expect((await person.api.delete(`/agents/${agent.id}`)).status).toBe(204);
    const successor = await createAgent(app, person);
    await deploy(person, successor);
    const events = await read();
    expect(numbersOf(events)).toEqual([1, 2, 3]);
    expect(events.map((event) => event.agent_id)).toEqual([agent.id, agent.id, successor.id]);
    expectError(await person.api.get(`/deployments/${id}/events`), 404, 'Deployment not found');
  });
});

describe('The number of an event', () => {
  it('does not delay transitions', async () => {
    const agents = [await createAgent(app, person), await createAgent(app, person)];
    const counter = `SELECT FROM user_event_counters WHERE user_id = '${person.id}' FOR UPDATE`;
    await deploy(person, agents[0]!);
    await read();
    await whileHeld(app.database, counter, async (release) => {
      for (const { id } of agents) expect((await person.api.post(`/agents/${id}/deploy`)).status).toBe(200);
      const reading = read();
      await untilSomeoneWaits(app.database);
      await release();
      expect(numbersOf(await reading)).toEqual([1, 2, 3]);
    });
  });

  it('is higher than all that were read before its transaction was committed', async () => {
    const [slow, quick] = [await createAgent(app, person), await createAgent(app, person)];
    await deploy(person, slow);
    const late = new Client(app.database.target);
    await late.connect();
    try {
      await late.query('BEGIN');
      await late.query(
        `INSERT INTO deployment_events (id, user_id, agent_id, deployment_id, sequence, event_type, status, replicas, actor)
         SELECT make_uuidv7(), user_id, agent_id, deployment_id, 2, 'note', status, replicas, actor
         FROM deployment_events WHERE agent_id = $1`,
        [slow.id],
      );
      await deploy(person, quick);
      expect((await read()).map((event) => event.agent_id)).toEqual([slow.id, quick.id]);
      await late.query('COMMIT');
    } finally {
      await late.end();
    }
    const events = await read('?after=2');
    expect(events).toMatchObject([{ user_sequence: 3, agent_id: slow.id, event_type: 'note' }]);
  });

  it('is given by a job when there is no reader', async () => {
    await deploy(person, await createAgent(app, person));
    const without = () =>
      app.database.query('SELECT id FROM deployment_events WHERE user_id = $1 AND user_sequence IS NULL', [
        person.id,
      ]);
    expect(await without()).toHaveLength(1);
    await until(() => app.app.get(PeriodicJobs).runOnce('eventNumbers'));
    expect(await without()).toEqual([]);
  });

  it('is given in parts when there are many, and once for simultaneous readers', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await app.database.query(
      `INSERT INTO deployment_events (id, user_id, agent_id, deployment_id, sequence, event_type, status, replicas, actor)
       SELECT make_uuidv7(), user_id, agent_id, deployment_id, 1 + n, 'note', status, replicas, actor
       FROM deployment_events, generate_series(1, 2499) AS n WHERE deployment_id = $1 ORDER BY n`,
      [id],
    );
    const client = other.api.as(person.accessToken);
    const pages = await Promise.all([
      read('?limit=500'),
      client.get('/events?limit=500'),
      read('?limit=500'),
    ]);
    expect(numbersOf(pages[0])).toEqual(upTo(500));
    await until(() => app.app.get(PeriodicJobs).runOnce('eventNumbers'));
    const events = await follow(app, 500, () => true);
    expect(numbersOf(events)).toEqual(upTo(2500));
    expect(events.map((event) => event.sequence)).toEqual(upTo(2500));
  });

  it('is assigned again after its transaction is rolled back', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    await whileGated(app.database, 'deployment_events', 'commit', async (open) => {
      const failing = person.api.post(`/agents/${agent.id}/deploy`);
      await untilSomeoneWaits(app.database);
      await app.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE wait_event = 'advisory' AND datname = current_database()`,
      );
      expect((await failing).status).toBe(503);
      await open();
    });
    await deploy(person, agent);
    expect(numbersOf(await read())).toEqual([1, 2]);
  });
});

describe('Readers of the event feed', () => {
  it('see no gap while a hundred transitions of several agents race on two instances', async () => {
    // More at once would wait for a connection, on a busy machine for longer than the service allows.
    const atOnce = 12;
    const staged: StagedDeployment[] = [];
    for (let count = 0; count < 5; count++) staged.push(await stageDeployment(app, person, 'running'));
    let isOver = false;
    const readers = [app, other, app, other].map((instance, index) =>
      follow(instance, 1 + 7 * index, () => isOver),
    );
    const statuses: number[] = [];
    const transition = async (index: number) => {
      const client = (index % 2 ? app : other).api.as(person.accessToken);
      const { id, agent } = staged[index % staged.length]!;
      const reply =
        index % 10 === 9
          ? await client.post(`/agents/${agent.id}/deploy`)
          : await client.post(`/deployments/${id}/scale`, { replicas: 1 + (index % 9) });
      statuses.push(reply.status);
    };
    let begun = 0;
    const work = async () => {
      while (begun < 100) await transition(begun++);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    expect(statuses).toEqual(Array(100).fill(200));
    isOver = true;
    for (const events of await Promise.all(readers)) {
      expect(events).toHaveLength(5 * 2 + 100);
      for (const { id } of staged) {
        const ofOne = events.filter((event) => event.deployment_id === id);
        expect(ofOne.map((event) => event.sequence)).toEqual(upTo(ofOne.length));
      }
    }
    // A hundred transitions one after the other, and all the reads between them.
  }, 90_000);
});
