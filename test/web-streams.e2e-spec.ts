import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { GOOD_PASSWORD, type Person, registerPerson } from './builders/people.js';
import { EventStream } from './harness/event-stream.js';
import { ServiceRelay } from './harness/service-relay.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { startTestWeb, type TestWeb, type WebClient } from './harness/test-web.js';
import { until } from './harness/until.js';

let app: TestApp;
let relay: ServiceRelay;
let web: TestWeb;
let browser: WebClient;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  relay = await ServiceRelay.start(app.url);
  person = await registerPerson(app);
  agent = await createAgent(app, person);
});

beforeEach(async () => {
  relay.reset();
  web = await startTestWeb({ SERVICE_URL: relay.url });
  browser = web.browser();
  await browser.post('/api/auth/login', { email: person.email, password: GOOD_PASSWORD });
});

afterEach(() => web.close());

afterAll(async () => {
  await relay.close();
  await app.close();
});

/** As a browser's EventSource would. */
const follow = (path: string, headers: Record<string, string> = {}) =>
  EventStream.open(web.url, path, { headers: { cookie: browser.cookies, ...headers } });

const log = (message: string) => agent.runtime.post('/agents/logs', { level: 'info', message });

it('A stream through the dashboard delivers events as they happen', async () => {
  const logs = await follow(`/api/dashboard/agents/${agent.id}/logs/stream`);
  const feed = await follow('/api/dashboard/events/stream');
  expect(logs.headers).toMatchObject({
    'content-type': expect.stringMatching(/^text\/event-stream/),
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // before anything has happened, the place to resume from has come through
  await until(() => logs.lastEventId !== '' && feed.lastEventId !== '');
  await log('the first');
  expect((await logs.has(1))[0]).toMatchObject({ message: 'the first' });
  const id = await deploy(person, agent);
  expect((await feed.has(1))[0]).toMatchObject({ deployment_id: id, event_type: 'deploy' });
  const events = await follow(`/api/dashboard/deployments/${id}/events/stream?last_event_id=0`);
  expect((await events.has(1))[0]).toMatchObject({ sequence: 1 });
  for (const stream of [logs, feed, events]) stream.close();
});

it('A stream through the dashboard delivers heartbeats as events, which an EventSource can read', async () => {
  const own = await startTestApp({ database: app.database, settings: { STREAM_HEARTBEAT_SECONDS: '1' } });
  const other = await startTestWeb({ SERVICE_URL: own.url });
  try {
    const stream = await EventStream.open(other.url, '/api/dashboard/events/stream', {
      headers: { cookie: browser.cookies.replaceAll(new URL(web.url).port, new URL(other.url).port) },
    });
    await until(() => stream.heartbeats.length > 0);
    expect(stream.heartbeats[0]).toBe(stream.lastEventId);
    expect([stream.comments, stream.events]).toEqual([[], []]);
    stream.close();
  } finally {
    await other.close();
    await own.close();
  }
});

it("A stream through the dashboard resumes after the browser's last event", async () => {
  const path = `/api/dashboard/agents/${agent.id}/logs/stream`;
  const stream = await follow(path);
  await until(() => stream.lastEventId !== '');
  await log('seen');
  await stream.has(1);
  stream.close();
  await log('missed');
  const resumed = await follow(path, { 'last-event-id': stream.lastEventId });
  expect((await resumed.has(1)).map(({ message }) => message)).toEqual(['missed']);
  resumed.close();
});

it('A stream through the dashboard is closed at the service when the browser disconnects', async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => follow('/api/dashboard/events/stream')));
  // the streams of the test before may still be on their way out
  await until(() => relay.openCount === 5);
  for (const stream of streams) stream.close();
  await until(() => relay.openCount === 0);
});

it('A stream through the dashboard opens with a refreshed token, and sets the new cookies', async () => {
  const access = [...browser.jar.keys()].find((name) => name.includes('access'))!;
  browser.jar.set(access, 'no.longer.good');
  const stream = await follow('/api/dashboard/events/stream');
  expect(stream.status).toBe(200);
  expect(stream.headers['set-cookie']).toHaveLength(3);
  stream.close();
});

it('A stream through the dashboard is refused without a session and for an unknown resource', async () => {
  browser.jar.clear();
  expect(await follow('/api/dashboard/events/stream')).toMatchObject({
    status: 401,
    body: { statusCode: 401 },
  });
  await browser.post('/api/auth/login', { email: person.email, password: GOOD_PASSWORD });
  const unknown = `/api/dashboard/deployments/${agent.id}/events/stream`;
  expect(await follow(unknown)).toMatchObject({ status: 404, body: { detail: 'Deployment not found' } });
});

it('A stream through the dashboard ends when the service shuts down, so that the browser reconnects', async () => {
  const own = await startTestApp({ database: app.database });
  const other = await startTestWeb({ SERVICE_URL: own.url });
  const client = other.browser();
  await client.post('/api/auth/login', { email: person.email, password: GOOD_PASSWORD });
  const stream = await EventStream.open(other.url, '/api/dashboard/events/stream', {
    headers: { cookie: client.cookies },
  });
  await until(() => stream.lastEventId !== '');
  await own.close();
  await stream.ended();
  await other.close();
});

it('A stream through the dashboard ends on shutdown without a partial event, and does not delay the shutdown', async () => {
  const stream = await follow('/api/dashboard/events/stream');
  await until(() => stream.lastEventId !== '');
  await web.close();
  await stream.ended();
  expect(stream.events).toEqual([]);
  web = await startTestWeb({ SERVICE_URL: relay.url });
});
