import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { EventStream } from './harness/event-stream.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;
let stranger: Person;
let agents: readonly TestAgent[];

const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const at = (time: string) => `${yesterday}T${time}.000Z`;
const line = (time: string, level: string, message: string) => ({ timestamp: at(time), level, message });

beforeAll(async () => {
  app = await startTestApp();
  [person, stranger] = [await registerPerson(app), await registerPerson(app)];
  const names = ['reader', 'writer', 'silent', 'printer'];
  agents = await Promise.all(names.map((name) => createAgent(app, person, { name })));
  const [reader, writer, , printer] = agents as [TestAgent, TestAgent, TestAgent, TestAgent];
  await person.api.patch(`/agents/${reader.id}`, { labels: { team: 'billing', stage: 'live' } });
  await person.api.patch(`/agents/${writer.id}`, { labels: { team: 'billing' } });
  await reader.runtime.post('/agents/logs', {
    logs: [
      line('10:00:00', 'info', 'r1'),
      line('10:02:00', 'warning', 'r2'),
      { ...line('10:04:00', 'debug', 'r3'), metadata: { replica: 2 } },
    ],
  });
  await writer.runtime.post('/agents/logs', {
    logs: [line('10:01:00', 'critical', 'w1'), line('10:03:00', 'error', 'w2')],
  });
  await printer.runtime.post('/agents/logs', { logs: [line('09:00:00', 'info', 'p1')] });
  const theirs = await createAgent(app, stranger);
  await theirs.runtime.post('/agents/logs', { logs: [line('10:05:00', 'critical', 'x1')] });
});
afterAll(() => app.close());

async function messages(query: string, path = '/logs'): Promise<string[]> {
  const { status, body } = await person.api.get(`${path}?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body.map(({ message }: { message: string }) => message);
}

describe('GET /logs', () => {
  it("merges the logs of all the caller's agents, newest first, with each agent's name", async () => {
    const { body } = await person.api.get('/logs');
    expect(body.map(({ agent_name, message }: any) => [agent_name, message])).toEqual([
      ['reader', 'r3'],
      ['writer', 'w2'],
      ['reader', 'r2'],
      ['writer', 'w1'],
      ['reader', 'r1'],
      ['printer', 'p1'],
    ]);
  });

  it.each([
    ['include_total=true&limit=2', ['r3', 'w2']],
    ['limit=2&skip=2', ['r2', 'w1']],
    ['limit=1&skip=5', ['p1']],
    ['min_level=warning', ['w2', 'r2', 'w1']],
    ['min_level=warn&limit=1', ['w2']],
    ['min_level=error', ['w2', 'w1']],
    ['level=warning', ['r2']],
    ['replica=2', ['r3']],
    ['q=R', ['r3', 'r2', 'r1', 'p1'].slice(0, 3)],
    [`since=${at('10:01:00')}&until=${at('10:03:00')}`, ['r2', 'w1']],
    ['label=team:billing', ['r3', 'w2', 'r2', 'w1', 'r1']],
    ['label=team:billing&label=stage:live', ['r3', 'r2', 'r1']],
    ['label=team:billing&label=team:other', []],
  ])('returns only the matches for ?%s', async (query, expected) => {
    expect(await messages(query)).toEqual(expected);
  });

  it("filters by several agents, and returns no log of another user's agent", async () => {
    const [reader, writer, silent] = agents;
    const query = [reader!.id, silent!.id].map((id) => `agent_id=${id}`).join('&');
    expect(await messages(query)).toEqual(['r3', 'r2', 'r1']);
    expect(await messages(`agent_id=${writer!.id}`)).toEqual(['w2', 'w1']);
    expect((await stranger.api.get(`/logs?agent_id=${writer!.id}`)).body).toEqual([]);
    const counted = await person.api.get('/logs?include_total=true&limit=1&min_level=warning');
    expect(counted.headers.get('x-total-count')).toBe('3');
  });

  it.each(['agent_id=x', 'label=team', 'label=:billing', 'min_level=loud'])('refuses ?%s', async (query) => {
    expect((await person.api.get(`/logs?${query}`)).status).toBe(422);
  });
});

describe('GET /logs/stream', () => {
  const open = (ids: readonly string[], more = '', headers = {}) =>
    EventStream.open(app.url, `/logs/stream?${ids.map((id) => `agent_id=${id}`).join('&')}${more}`, {
      credential: person.accessToken,
      headers,
    });

  it('follows several agents and resumes where it ended', async () => {
    const followed = await Promise.all([createAgent(app, person), createAgent(app, person)]);
    const ids = followed.map(({ id }) => id);
    const log = (agent: TestAgent, level: string, message: string) =>
      agent.runtime.post('/agents/logs', { level, message });
    const first = await open(ids, '&min_level=warning');
    await until(() => first.lastEventId !== '');
    await log(followed[0], 'warning', 'one');
    await log(followed[1], 'info', 'left out');
    await log(followed[1], 'critical', 'two');
    expect((await first.has(2)).map(({ message }) => message)).toEqual(['one', 'two']);
    first.close();
    await log(followed[0], 'error', 'three');
    await person.api.delete(`/agents/${followed[1].id}`);
    await log(followed[0], 'error', 'four');
    const second = await open([ids[0]!], '', { 'Last-Event-ID': first.lastEventId });
    expect((await second.has(2)).map(({ message }) => message)).toEqual(['three', 'four']);
    second.close();
  });

  it('finds a word that contains an escape sequence, as the lists do', async () => {
    const agent = await createAgent(app, person);
    const stream = await open([agent.id], '&q=mailbox');
    await until(() => stream.lastEventId !== '');
    const link = '\u001b]8;;https://example.com\u001b\\';
    const colored = `the \u001b[1;31mmail\u001b[0m${link}box is gone`;
    await agent.runtime.post('/agents/logs', {
      logs: ['31m', colored].map((message) => line('10:00:00', 'info', message)),
    });
    expect((await stream.has(1)).map(({ message }) => message)).toEqual([colored]);
    stream.close();
    for (const path of ['/logs', `/agents/${agent.id}/logs`]) {
      expect(await messages('q=Mailbox', path)).toEqual([colored]);
      expect(await messages('q=31m', path)).toEqual(['31m']);
    }
  });

  it("refuses another user's agent, no agent and too many agents", async () => {
    const theirs = await createAgent(app, stranger);
    expect((await open([agents[0]!.id, theirs.id])).status).toBe(404);
    expect((await open([])).status).toBe(422);
    expect((await open(Array(101).fill(agents[0]!.id))).status).toBe(422);
  });
});

describe('The least level', () => {
  it('filters the logs of an agent and of a deployment', async () => {
    const agent = await createAgent(app, person);
    const deployment = await deploy(person, agent);
    await agent.runtime.post('/agents/logs', {
      logs: [line('08:00:00', 'info', 'a'), line('08:01:00', 'warning', 'b'), line('08:02:00', 'fatal', 'c')],
    });
    for (const path of [`/agents/${agent.id}/logs`, `/deployments/${deployment}/logs`]) {
      expect(await messages('min_level=warning', path)).toEqual(['c', 'b']);
      expect(await messages('min_level=fatal', path)).toEqual(['c']);
      expect(await messages('min_level=debug', path)).toEqual(['c', 'b', 'a']);
      expect(await messages('replica=0', path)).toEqual([]);
    }
  });
});

describe('GET /agents/{agent_id}/metrics/summary', () => {
  let agent: TestAgent;
  let deployment: string;
  const summary = async (query: string, path = `/agents/${agent.id}`) =>
    (await person.api.get(`${path}/metrics/summary?${query}`)) as { status: number; body: any };

  beforeAll(async () => {
    agent = await createAgent(app, person);
    deployment = await deploy(person, agent);
    const sample = (time: string, values: object) => ({ timestamp: at(time), ...values });
    await agent.runtime.post('/agents/metrics', {
      metrics: [
        sample('12:00:00', {
          cpu_usage: 10,
          requests_processed: 100,
          custom: { sent_total: 1, note: 'text' },
        }),
        sample('12:00:20', {
          cpu_usage: 267,
          requests_processed: 130,
          errors_count: 1,
          custom: { queue: -4, sent_total: 7 },
        }),
        sample('12:00:40', { cpu_usage: 8, memory_usage: 64 }),
        sample('12:01:10', { cpu_usage: 0, requests_processed: 5, errors_count: 1 }),
        sample('12:01:20', {
          cpu_usage: 1e308,
          requests_processed: 9,
          custom: { ['__proto__']: 1, queue: -1e308, sent_total: 4 },
        }),
      ],
    });
  });

  const range = `since=${at('12:00:00')}&until=${at('12:10:00')}`;

  it('returns the peaks of each bucket and the increase of totals', async () => {
    for (const path of [`/agents/${agent.id}`, `/deployments/${deployment}`]) {
      const { status, body } = await summary(`${range}&bucket_seconds=60`, path);
      expect(status).toBe(200);
      expect(body).toMatchObject({ since: at('12:00:00'), until: at('12:10:00'), bucket_seconds: 60 });
      expect(body.buckets).toEqual([
        {
          timestamp: at('12:00:00'),
          cpu_usage: { min: 8, mean: 95, max: 267 },
          memory_usage: { min: 64, mean: 64, max: 64 },
          requests: 30,
          errors: 0,
          custom: {
            queue: { min: -4, mean: -4, max: -4, rise: 0 },
            sent_total: { min: 1, mean: 4, max: 7, rise: 6 },
          },
        },
        {
          timestamp: at('12:01:00'),
          cpu_usage: { min: 0, mean: 5e149, max: 1e308 },
          memory_usage: null,
          // The total has restarted at 5.
          requests: 9,
          errors: 0,
          custom: expect.objectContaining({
            queue: { min: -1e308, mean: -1e150, max: -1e308, rise: 0 },
            sent_total: { min: 4, mean: 4, max: 4, rise: 4 },
          }),
        },
      ]);
    }
  });

  it('has what came by OpenTelemetry: numbers, and distributions as their means since the sample before', async () => {
    const otlp = await createAgent(app, person);
    const metrics = [
      {
        'wait_seconds{path="/a"}': { count: 2, sum: 8 },
        sent_bytes_total: 1,
        batch: { count: 2, sum: 6, delta: true },
      },
      {
        'wait_seconds{path="/a"}': { count: 6, sum: 10 },
        sent_bytes_total: 5,
        batch: { count: 3, sum: 3, delta: true },
      },
      {
        'wait_seconds{path="/a"}': { count: 6, sum: 10 },
        odd: { count: 1e-300, sum: 1e308 },
        text: 'x',
        list: [1],
      },
      { 'wait_seconds{path="/a"}': { count: 1, sum: 7 }, odd: { count: 1e300, sum: 5e-324 } },
    ].map((values, index) => ({ timestamp: at(`12:00:0${index}`), custom: { queue: 3, metrics: values } }));
    expect((await otlp.runtime.post('/agents/metrics', { metrics })).status).toBe(200);
    const { body } = await summary(`${range}&bucket_seconds=60`, `/agents/${otlp.id}`);
    expect(body).toMatchObject({ custom_names: 5, buckets: [{ timestamp: at('12:00:00') }] });
    expect(body.buckets[0].custom).toEqual({
      batch: { min: 1, mean: 2, max: 3, rise: 1 },
      odd: { min: -1e135, mean: -1e135, max: -1e135, rise: 0 },
      queue: { min: 3, mean: 3, max: 3, rise: 0 },
      sent_bytes_total: { min: 1, mean: 3, max: 5, rise: 4 },
      // Means of 4, of (10 - 8) / (6 - 2) and of 7; nothing was measured for the third sample.
      'wait_seconds{path="/a"}': { min: 0.5, mean: 11.5 / 3, max: 7, rise: 7 },
    });
  });

  it('has the first 20 of a thousand names, or those with a text in them, and says how many there are', async () => {
    const wide = await createAgent(app, person);
    const names = Array.from({ length: 1_000 }, (_, index) => `m${String(index).padStart(3, '0')}`);
    const values = Object.fromEntries(names.map((name) => [name, 1]));
    await wide.runtime.post('/agents/metrics', { timestamp: at('12:00:00'), custom: { metrics: values } });
    const of = async (query: string) => (await summary(`${range}${query}`, `/agents/${wide.id}`)).body;
    const all = await of('');
    expect([all.custom_names, Object.keys(all.buckets[0].custom)]).toEqual([1_000, names.slice(0, 20)]);
    const some = await of('&q=M99');
    expect([some.custom_names, Object.keys(some.buckets[0].custom)]).toEqual([10, names.slice(990)]);
    expect(await of('&q=nothing')).toMatchObject({ custom_names: 0, buckets: [] });
  });

  it('chooses buckets that fill the range, which is the last hour by default', async () => {
    expect((await summary('')).body).toMatchObject({ bucket_seconds: 30, buckets: [] });
    const thirtyDays = new Date(Date.now() - 30 * 86_400_000).toISOString();
    const { body } = await summary(`since=${thirtyDays}`);
    expect(body.bucket_seconds).toBeGreaterThanOrEqual(21_600);
    expect(body.buckets).toHaveLength(1);
  });

  it.each([
    [`since=${at('12:00:00')}&until=${at('12:00:00')}`],
    [`since=${at('12:00:00')}&until=${at('13:00:00')}&bucket_seconds=3`],
    ['bucket_seconds=0'],
    ['bucket_seconds=x'],
  ])('refuses ?%s', async (query) => {
    expect((await summary(query)).status).toBe(422);
  });

  it('returns 404 to everybody but the owner', async () => {
    expect((await stranger.api.get(`/agents/${agent.id}/metrics/summary`)).status).toBe(404);
    expect((await stranger.api.get(`/deployments/${deployment}/metrics/summary`)).status).toBe(404);
  });
});
