import { randomUUID } from 'node:crypto';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;
let stranger: Person;
let agent: TestAgent;
/** The agent's only deployment, to which the entries belong. */
let deployment: string;

/** Yesterday at this time of the day, in UTC. */
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const at = (time: string) => `${yesterday}T${time}.000Z`;

const told = [
  { level: 'debug', message: 'Opened the mailbox', timestamp: at('10:00:00') },
  { level: 'info', message: '100% of A_B\\C', timestamp: at('11:00:00') },
  { level: 'warning', message: 'Überlastet', timestamp: at('12:00:00') },
  { level: 'error', message: '100 of AxB', timestamp: at('13:00:00') },
  { level: 'critical', message: 'The MAILBOX is gone', timestamp: at('14:00:00') },
];

beforeAll(async () => {
  app = await startTestApp();
  [person, stranger] = [await registerPerson(app), await registerPerson(app)];
  agent = await createAgent(app, person);
  await agent.runtime.post('/agents/logs', {
    level: 'info',
    message: 'of no deployment',
    timestamp: at('09:00:00'),
  });
  deployment = await deploy(person, agent);
  await agent.runtime.post('/agents/logs', { logs: told });
  await agent.runtime.post('/agents/metrics', {
    metrics: told.map(({ timestamp }, index) => ({ requests_processed: index, timestamp })),
  });
});
afterAll(() => app.close());

const messages = (reply: { body: { message: string }[] }) => reply.body.map(({ message }) => message);
const logs = (query = '') => person.api.get(`/agents/${agent.id}/logs${query}`);

describe('Logs and metrics', () => {
  const routes = [
    ['agents', 'logs'],
    ['agents', 'metrics'],
    ['deployments', 'logs'],
    ['deployments', 'metrics'],
  ];
  const path = (of: string, kind: string) => `/${of}/${of === 'agents' ? agent.id : deployment}/${kind}`;

  it.each(routes)('GET /%s/{id}/%s returns the newest first', async (of, kind) => {
    const { status, headers, body } = await person.api.get(path(of, kind));
    expect(status).toBe(200);
    expect(headers.get('link')).toBeNull();
    expect(headers.get('x-total-count')).toBeNull();
    const newestFirst = told.map(({ timestamp }) => timestamp).reverse();
    const first = of === 'agents' && kind === 'logs' ? [at('09:00:00')] : [];
    expect(body.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual([...newestFirst, ...first]);
  });

  it.each(routes)('GET /%s/{id}/%s returns 404 to everybody but the owner', async (of, kind) => {
    const what = of === 'agents' ? 'Agent' : 'Deployment';
    for (const [caller, place] of [
      [stranger, path(of, kind)],
      [person, `/${of}/${randomUUID()}/${kind}`],
    ] as const) {
      expect(await caller.api.get(place)).toMatchObject({
        status: 404,
        body: { message: `${what} not found` },
      });
    }
    expect((await app.api.get(path(of, kind))).status).toBe(401);
    expect((await agent.runtime.get(path(of, kind))).status).toBe(401);
    expect((await person.api.get(`/${of}/not-a-uuid/${kind}`)).status).toBe(422);
  });

  it.each(routes)('GET /%s/{id}/%s counts the entries with include_total=true', async (of, kind) => {
    const { headers } = await person.api.get(
      `${path(of, kind)}?include_total=true&limit=1&since=${at('11:00:00')}`,
    );
    expect(headers.get('x-total-count')).toBe('4');
  });

  it.each(routes)('GET /%s/{id}/%s returns 422 for a parameter out of bounds', async (of, kind) => {
    const queries = [
      'skip=-1',
      'skip=1.5',
      'limit=0',
      'limit=501',
      'limit=many',
      'since=yesterday',
      'until=2026-02-30',
    ];
    for (const query of queries) {
      expect(await person.api.get(`${path(of, kind)}?${query}`)).toMatchObject({
        status: 422,
        body: { statusCode: 422 },
      });
    }
    expect((await person.api.get(`${path(of, kind)}?skip=&limit=&since=&until=&level=&q=`)).body).not.toEqual(
      [],
    );
    expect((await person.api.get(`${path(of, kind)}?limit=500&skip=2147483647`)).body).toEqual([]);
  });

  it.each(routes)(
    'GET /%s/{id}/%s filters by time, with since inclusive and until exclusive',
    async (of, kind) => {
      const within = async (query: string) =>
        (await person.api.get(`${path(of, kind)}?${query}`)).body.map(
          ({ timestamp }: { timestamp: string }) => timestamp,
        );
      const expected = [at('12:00:00'), at('11:00:00')];
      expect(await within(`since=${at('11:00:00')}&until=${at('13:00:00')}`)).toEqual(expected);
      expect(await within(`since=${yesterday}T11:00:00&until=${yesterday}T13:00`)).toEqual(expected);
      // The plus unescaped, and escaped.
      expect(await within(`since=${yesterday}T13:00:00+02:00&until=${yesterday}T15:00:00%2B02:00`)).toEqual(
        expected,
      );
      expect(await within(`since=${at('13:00:00')}&until=${at('11:00:00')}`)).toEqual([]);
    },
  );
});

describe('Logs', () => {
  it.each([
    ['error', ['100 of AxB']],
    ['WARN', ['Überlastet']],
    ['Fatal', ['The MAILBOX is gone']],
  ])('are filtered by the level %s', async (level, expected) => {
    expect(messages(await logs(`?level=${level}`))).toEqual(expected);
  });

  it('are refused with 422 for an unknown level', async () => {
    const reply = await logs('?level=loud');
    expect(reply).toMatchObject({
      status: 422,
      body: { message: [expect.stringMatching(/^level must be one of/)] },
    });
    expect((await logs('?level=info&level=error')).status).toBe(422);
  });

  it.each([
    ['mailbox', ['The MAILBOX is gone', 'Opened the mailbox']],
    ['ÜBER', ['Überlastet']],
    ['100%', ['100% of A_B\\C']],
    ['A_B', ['100% of A_B\\C']],
    ['b\\c', ['100% of A_B\\C']],
    ['%', ['100% of A_B\\C']],
    ["'; --", []],
    ['a\0b', []],
  ])('are searched for %j literally', async (text, expected) => {
    expect(messages(await logs(`?q=${encodeURIComponent(text)}`))).toEqual(expected);
  });

  it('are searched for a text with = in their metadata, too, which is key=value', async () => {
    const { id, runtime } = await createAgent(app, person);
    const metadata = { order: 17, stream: 'stdout', file: 'a b.pdf', at: { line: 3 }, url: '?x=y' };
    await runtime.post('/agents/logs', { level: 'info', message: 'with fields', metadata });
    await runtime.post('/agents/logs', { level: 'info', message: 'x=y without any' });
    for (const [text, expected] of [
      ['ORDER=1', ['with fields']],
      ['stream=stdout', ['with fields']],
      ['file="a b.pdf"', ['with fields']],
      ['at={line=3}', ['with fields']],
      ['x=y', ['x=y without any', 'with fields']],
      ['order=18', []],
      ['stdout', []],
    ] as const) {
      const reply = await person.api.get(`/agents/${id}/logs?q=${encodeURIComponent(text)}`);
      expect([text, messages(reply)]).toEqual([text, expected]);
    }
  });

  it('are searched for texts of up to 200 characters', async () => {
    expect((await logs(`?q=${'x'.repeat(200)}`)).body).toEqual([]);
    expect((await logs(`?q=${'x'.repeat(201)}`)).status).toBe(422);
  });

  it('are filtered by all parameters together', async () => {
    const query = `?q=of&level=info&since=${at('10:00:00')}&until=${at('12:00:00')}&include_total=true`;
    const reply = await logs(query);
    expect(messages(reply)).toEqual(['100% of A_B\\C']);
    expect(reply.headers.get('x-total-count')).toBe('1');
  });
});

/** Every row of a list, by `Link`, and how many there were in each reply. */
async function readAll<Row>(first: string): Promise<{ rows: Row[]; sizes: number[] }> {
  const rows: Row[] = [];
  const sizes: number[] = [];
  let next: string | undefined = first;
  while (next !== undefined) {
    const { headers, body }: ApiReply<Row[]> = await person.api.get(next);
    rows.push(...body);
    sizes.push(body.length);
    next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  return { rows, sizes };
}

it.each(['logs', 'metrics'])('%s keep their time to the millisecond in any year', async (kind) => {
  const { id, runtime } = await createAgent(app, person);
  const times = ['2026-01-02T03:04:05.891Z', '1601-02-03T04:05:06.007Z', '0001-01-01T00:00:00.001Z'];
  const entries = times.map((timestamp) => ({ level: 'info', message: 'old', timestamp }));
  expect((await runtime.post(`/agents/${kind}`, { [kind]: entries })).status).toBe(200);
  const { body } = await person.api.get(`/agents/${id}/${kind}`);
  expect(body.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual(times);
});

describe('The sum of metrics that came by OpenTelemetry', () => {
  const sum = async ({ id }: TestAgent) => {
    const path = `/agents/${id}/metrics/summary?since=${at('12:00:00')}&until=${at('12:01:00')}`;
    const { status, body } = await person.api.get<any>(`${path}&bucket_seconds=60`);
    expect(status).toBe(200);
    return body.buckets[0];
  };
  const replica = (index: number) => ({ 'agent_control_plane.replica': String(index) });
  const runOf = (index: number) => ({ ...replica(index), 'agent_control_plane.run_id': randomUUID() });

  it('counts the totals of each process by themselves, and a process for one run after the one before', async () => {
    const counting = await createAgent(app, person);
    const samples = [
      [replica(0), 100],
      [replica(1), 5],
      [replica(0), 103],
      [replica(1), 6],
      [replica(0), 104],
    ] as const;
    const served = [...samples, [runOf(0), 7], [runOf(1), 50], [runOf(0), 2], [runOf(1), 20]] as const;
    const metrics = served.map(([resource, total], index) => ({
      timestamp: at(`12:00:0${index}`),
      requests_processed: total,
      custom: { metrics: { served_total: total, wait: { count: total, sum: 2 * total } }, resource },
    }));
    expect((await counting.runtime.post('/agents/metrics', { metrics })).status).toBe(200);
    const { requests, custom } = await sum(counting);
    // 4 of the first replica, 1 of the second one, and 22 of the runs that followed others in their replicas.
    expect([requests, custom.served_total.rise]).toEqual([27, 27]);
    expect(custom.wait).toMatchObject({ min: 2, max: 2 });
  });

  it('has distributions of every sum and count that an agent can send', async () => {
    const counting = await createAgent(app, person);
    const extremes = [-1e308, -1, 0, 5e-324, 1e-149, 1, 1e308];
    const metrics = extremes.flatMap((count) => extremes.map((value) => ({ count, sum: value })));
    const rows = metrics.map((odd, index) => ({
      timestamp: at(`12:00:${String(index).padStart(2, '0')}`),
      custom: { metrics: { odd, [`odd${index}`]: odd } },
    }));
    expect((await counting.runtime.post('/agents/metrics', { metrics: rows })).status).toBe(200);
    expect((await sum(counting)).custom).toHaveProperty('odd');
  });
});

describe('Paging by `Link`', () => {
  it('returns each row exactly once, also when many rows have the same time', async () => {
    const busy = await createAgent(app, person);
    const moments = ['10:00:00', '10:00:01', '10:00:02'];
    const lines = Array.from({ length: 250 }, (_, index) => ({
      level: 'info',
      message: `line ${index}`,
      timestamp: at(moments[index % 3]!),
    }));
    await busy.runtime.post('/agents/logs', { logs: lines });
    const { rows: seen, sizes } = await readAll<{ id: string; timestamp: string }>(
      `/agents/${busy.id}/logs?q=line&since=${yesterday}`,
    );
    expect(sizes).toEqual([100, 100, 50]);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(250);
    const order = seen.map(({ timestamp, id }) => `${timestamp} ${id}`);
    expect(order).toEqual([...order].sort().reverse());
  });

  const filling = 'x'.repeat(15_000);
  it.each([
    ['logs', { level: 'info', message: filling, metadata: { filling } }],
    ['metrics', { custom: { filling } }],
  ])('ends a page of large %s before it exceeds 2 MiB, and leaves out no row', async (kind, entry) => {
    const busy = await createAgent(app, person);
    for (let request = 0; request < 6; request++) {
      const { status } = await busy.runtime.post(`/agents/${kind}`, { [kind]: Array(30).fill(entry) });
      expect(status).toBe(200);
    }
    const { rows, sizes } = await readAll<{ id: string }>(`/agents/${busy.id}/${kind}?limit=200`);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(180);
    // A log here is 30 KB long, a metric 15 KB.
    expect(sizes).toEqual(kind === 'logs' ? [68, 68, 44] : [135, 45]);
  });
});
