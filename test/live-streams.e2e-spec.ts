import { createAgent, deploy, historyOf, obey, report, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { ERROR_FIELDS } from './harness/error-shape.js';
import { stageDeployment } from './harness/deployment-states.js';
import { EventStream } from './harness/event-stream.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const NIL = '00000000-0000-0000-0000-000000000000';

let app: TestApp;
let operator: Person;
let person: Person;
let agent: TestAgent;
let deploymentId: string;
const opened: EventStream[] = [];

beforeAll(async () => {
  app = await startTestApp({ settings: { STREAM_HEARTBEAT_SECONDS: '1', STREAMS_PER_USER: '3' } });
  operator = await registerOperator(app);
});

beforeEach(async () => {
  person = await registerPerson(app);
  ({ agent, id: deploymentId } = await stageDeployment(app, person, 'running'));
});

afterEach(() => opened.splice(0).forEach((stream) => stream.close()));

afterAll(() => app.close());

async function open(path: string, headers: Record<string, string> = {}, credential = person.accessToken) {
  const stream = await EventStream.open(app.url, path, { credential, headers });
  opened.push(stream);
  return stream;
}

const scale = (replicas: number) => person.api.post(`/deployments/${deploymentId}/scale`, { replicas });
const paths = () => ({
  deployment: `/deployments/${deploymentId}/events/stream`,
  user: '/events/stream',
  logs: `/agents/${agent.id}/logs/stream`,
});

describe('A stream of server-sent events', () => {
  it('begins with the resume position, and has the headers that keep proxies from buffering', async () => {
    const stream = await open(paths().deployment);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    await until(() => stream.retryMs);
    expect(stream.retryMs).toBeGreaterThanOrEqual(1_000);
    expect(stream.lastEventId).toBe('2');
    expect(stream.events).toEqual([]);
  });

  it("sends a deployment's events from now on, equal to those of its history", async () => {
    const stream = await open(paths().deployment);
    await scale(2);
    await report(agent, deploymentId, { status: 'failed', error_message: 'exit code 1' });
    await stream.has(2);
    const [newest, before] = await historyOf(person, deploymentId);
    expect(stream.data).toEqual([before, newest]);
    expect(stream.events.map(({ id }) => id)).toEqual(['3', '4']);
  });

  it("sends all the caller's events, equal to those of the feed", async () => {
    const stream = await open(paths().user);
    const other = await createAgent(app, person);
    await deploy(person, other);
    await scale(3);
    await stream.has(2);
    expect(stream.data).toEqual((await person.api.get('/events?after=2')).body);
    expect(stream.events.map(({ id }) => id)).toEqual(['3', '4']);
  });

  it('sends logs equal to those of the list', async () => {
    const stream = await open(paths().logs);
    await agent.runtime.post('/agents/logs', { level: 'warn', message: 'two\nlines', metadata: { a: [1] } });
    await stream.has(1);
    expect(stream.data).toEqual((await person.api.get(`/agents/${agent.id}/logs`)).body);
  });

  it('sends heartbeats while idle, and moves the resume position past filtered entries', async () => {
    const stream = await open(`${paths().logs}?level=error`);
    const unfiltered = await open(paths().logs);
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'not asked for' });
    // Both readers have read it.
    await unfiltered.has(1);
    const beats = stream.comments.length;
    await until(() => stream.comments.length >= beats + 2);
    expect(stream.comments).toContain('heartbeat');
    expect(stream.events).toEqual([]);
    const resumed = await open(paths().logs, { 'last-event-id': stream.lastEventId });
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'later' });
    expect((await resumed.has(1)).map((log) => log.message)).toEqual(['later']);
  });

  it('answers HEAD with its headers only', async () => {
    const reply = await person.api.request('HEAD', paths().user);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });
});

describe('A resumed stream', () => {
  beforeEach(async () => {
    for (const replicas of [2, 3]) await scale(replicas);
  });

  it.each<[string, string, Record<string, string>]>([
    ['Last-Event-ID', '', { 'last-event-id': '2' }],
    ['last_event_id', '?last_event_id=2', {}],
    ['after', '?after=2', {}],
    ['the header, whatever the query says', '?last_event_id=4', { 'last-event-id': '2' }],
  ])('begins with the missed events when resumed by %s', async (_, query, headers) => {
    for (const path of [paths().deployment, paths().user]) {
      const stream = await open(path + query, headers);
      await scale(5);
      const events = await stream.has(3);
      expect(events.map((event) => event.replicas).slice(0, 2)).toEqual([2, 3]);
      expect(stream.events.map(({ id }) => Number(id))).toEqual(events.map((_event, index) => index + 3));
      stream.close();
    }
  });

  it('begins with the first event when resumed from 0', async () => {
    const stream = await open(paths().deployment, { 'last-event-id': '0' });
    expect((await stream.has(4)).map((event) => event.event_type)).toEqual([
      'deploy',
      'running',
      'scale',
      'scale',
    ]);
  });

  it('receives every event while other streams are live', async () => {
    const live = await open(paths().deployment);
    const resumed = await open(paths().deployment, { 'last-event-id': '1' });
    await resumed.has(3);
    await scale(4);
    expect((await resumed.has(4)).map((event) => event.sequence)).toEqual([2, 3, 4, 5]);
    expect((await live.has(1)).map((event) => event.sequence)).toEqual([5]);
  });
});

describe('A refused stream', () => {
  it('is answered with an error document before the stream begins', async () => {
    const stranger = await registerPerson(app);
    const { deployment, user, logs } = paths();
    const cases: [string, number, Record<string, string>?, string?][] = [
      [deployment, 404, {}, stranger.accessToken],
      [logs, 404, {}, stranger.accessToken],
      [`/deployments/${NIL}/events/stream`, 404],
      [`/agents/${NIL}/logs/stream`, 404],
      ['/deployments/x/events/stream', 422],
      ['/agents/x/logs/stream', 422],
      [deployment, 422, { 'last-event-id': 'x' }],
      [user, 422, { 'last-event-id': '-1' }],
      [user, 422, { 'last-event-id': '3' }],
      [deployment, 422, { 'last-event-id': '9007199254740992' }],
      [`${user}?after=1&after=2`, 422],
      [logs, 422, { 'last-event-id': '3' }],
      [logs, 422, { 'last-event-id': '5.1.2' }],
      [logs, 422, { 'last-event-id': `1.${'1'.repeat(5_000)}` }],
      [logs, 422, { 'last-event-id': 'zzzzzzzz.0' }],
      [`${logs}?level=loud`, 422],
      [`${logs}?deployment_id=x`, 422],
      [user, 401, {}, 'nonsense'],
      [logs, 401, {}, agent.key],
    ];
    for (const [path, status, headers, credential] of cases) {
      const reply = await open(path, headers, credential);
      expect([path, headers, reply.status]).toEqual([path, headers, status]);
      expect(Object.keys(reply.body)).toEqual([...ERROR_FIELDS, ...(status === 422 ? ['errors'] : [])]);
    }
  });

  it('returns 429 past the stream limit until another stream is closed', async () => {
    const streams = [await open(paths().user), await open(paths().deployment), await open(paths().logs)];
    const refused = await open(paths().user);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    const stranger = await registerPerson(app);
    expect((await open(paths().user, {}, stranger.accessToken)).status).toBe(200);
    streams[0]!.close();
    await until(async () => (await open(paths().user)).status === 200);
    expect((await open(paths().logs)).status).toBe(429);
  });

  it('does not count against the limit', async () => {
    for (let count = 0; count < 5; count++) {
      expect((await open(`/agents/${NIL}/logs/stream`)).status).toBe(404);
    }
    expect((await open(paths().user)).status).toBe(200);
  });
});

describe('An open stream', () => {
  it('ends when its API key is revoked', async () => {
    const { id, key } = (await person.api.post('/api-keys', { name: 'dashboard' })).body;
    const streams = [await open(paths().user, {}, key), await open(paths().logs, {}, key)];
    const kept = await open(paths().user);
    await person.api.delete(`/api-keys/${id}`);
    for (const stream of streams) expect(await stream.ended()).toBe('credential');
    await scale(2);
    await kept.has(1);
    expect(streams.flatMap((stream) => stream.data)).toEqual([]);
  });

  it('ends when the account is deactivated, and sends no later event', async () => {
    const stream = await open(paths().logs);
    await operator.api.patch(`/users/${person.id}`, { is_active: false });
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'secret' });
    expect(await stream.ended()).toBe('credential');
    expect(stream.data).toEqual([]);
  });

  it('ends when its deployment or agent is deleted', async () => {
    const streams = [await open(paths().deployment), await open(paths().logs)];
    const feed = await open(paths().user);
    await person.api.delete(`/agents/${agent.id}`);
    for (const stream of streams) expect(await stream.ended()).toBe('removed');
    expect(feed.isClosed).toBe(false);
    expect((await open(paths().deployment)).status).toBe(404);
  });

  it('stays open when its deployment is killed, because that is in its history', async () => {
    const stream = await open(paths().deployment);
    await person.api.delete(`/deployments/${deploymentId}`);
    expect((await stream.has(1))[0]).toMatchObject({ event_type: 'kill', previous_status: 'running' });
    expect(await obey(agent)).toEqual(['kill']);
    expect(stream.isClosed).toBe(false);
  });
});
