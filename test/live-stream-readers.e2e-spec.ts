import type { ServerResponse } from 'node:http';
import { DeploymentEventsRepository } from '../src/deployments/deployment-events.repository.js';
import { LogFollowing } from '../src/telemetry/log-following.service.js';
import { LogTailRepository } from '../src/telemetry/log-tail.repository.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { EventStream } from './harness/event-stream.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** What may be waiting for one reader: the limit of a buffer, and a page that was written on top of it. */
const MOST_BUFFERED = 64 * 1024 + 2 * 128 * 1024;
/** Enough to fill all that the two ends of a connection buffer in the kernel. */
const LINES = 2_400;
const LINE_BYTES = 16 * 1024;

let app: TestApp;
let person: Person;
let agent: TestAgent;
const opened: EventStream[] = [];
/** The service's side of each stream, in the order in which they were opened. */
const responses: ServerResponse[] = [];

async function start(settings: Record<string, string> = {}) {
  app = await startTestApp({ settings });
  app.app.getHttpServer().on('request', (request, response) => {
    if (request.url?.includes('/stream')) responses.push(response);
  });
  person = await registerPerson(app);
  agent = await createAgent(app, person);
}

afterEach(async () => {
  opened.splice(0).forEach((stream) => stream.close());
  responses.splice(0);
  await app.close();
});

async function open(path = `/agents/${agent.id}/logs/stream`, lastEventId?: string) {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const stream = await EventStream.open(app.url, path, { credential: person.accessToken, headers });
  opened.push(stream);
  await until(() => stream.lastEventId);
  return stream;
}

/** Megabytes of logs; `each` looks on while they come. */
async function writeMuch(each: () => void): Promise<void> {
  const filling = 'x'.repeat(LINE_BYTES);
  for (let line = 0; line < LINES; line += 30) {
    const logs = Array.from({ length: 30 }, (_, index) => ({
      level: 'info',
      message: `${line + index} ${filling}`,
    }));
    expect((await agent.runtime.post('/agents/logs', { logs })).status).toBe(200);
    each();
  }
}

const numbersOf = (streams: EventStream[]) =>
  streams.flatMap((stream) => stream.data.map((log) => Number.parseInt(log.message, 10)));
const allLines = Array.from({ length: LINES }, (_, line) => line);

/** Notes every call of a repository's method. */
function noteCalls<Key extends string>(
  repository: Record<Key, (...args: any[]) => any>,
  method: Key,
): unknown[][] {
  const calls: unknown[][] = [];
  const original = repository[method].bind(repository);
  repository[method] = (...args) => {
    calls.push(args);
    return original(...args);
  };
  return calls;
}

describe('Many readers of one thing', () => {
  it('cost no more reads than one', async () => {
    await start();
    const { id, agent: deployed } = await stageDeployment(app, person, 'running');
    const paths = [
      `/deployments/${id}/events/stream`,
      '/events/stream',
      `/agents/${deployed.id}/logs/stream`,
    ];
    const streams = await Promise.all(Array.from({ length: 45 }, (_, index) => open(paths[index % 3])));
    const events = app.app.get(DeploymentEventsRepository);
    const reads = {
      deployment: noteCalls(events, 'listOfDeployment'),
      user: noteCalls(events, 'listOfUser'),
      logs: noteCalls(app.app.get(LogTailRepository), 'read'),
    };
    for (let count = 1; count <= 10; count++) {
      await person.api.post(`/deployments/${id}/scale`, { replicas: count });
      await deployed.runtime.post('/agents/logs', { level: 'info', message: String(count) });
    }
    for (const stream of streams) expect(await stream.has(10)).toHaveLength(10);
    // A reader's own read goes up to where the others are, the shared one to the end. Whoever is held up for a
    // moment reads for themselves, but 15 readers of 10 changes would have made 150 reads of each.
    for (const calls of Object.values(reads)) {
      expect(calls.length).toBeGreaterThan(0);
      expect(calls.filter(([, , upTo]) => upTo !== null).length).toBeLessThan(15);
    }
  });

  it('cost none when they have gone', async () => {
    await start();
    const watches = app.app.get(LogFollowing)['watches']['watches'];
    const streams = [await open(), await open()];
    expect([...watches.keys()]).toEqual([agent.id]);
    streams.forEach((stream) => stream.close());
    await until(() => watches.size === 0);
  });
});

describe('A reader that does not keep up', () => {
  it('holds no memory, keeps nobody else waiting, and misses nothing', async () => {
    await start();
    const slow = await open();
    const quick = await open();
    slow.pause();
    let most = 0;
    await writeMuch(() => (most = Math.max(most, responses[0]!.writableLength)));
    await until(() => numbersOf([quick]).length === LINES, 60_000);
    expect(numbersOf([quick])).toEqual(allLines);
    expect(numbersOf([slow]).length).toBeLessThan(LINES);
    expect(responses[0]!.writableLength).toBeGreaterThan(0);
    expect(most).toBeLessThan(MOST_BUFFERED);
    slow.resume();
    await until(() => numbersOf([slow]).length === LINES, 60_000);
    expect(numbersOf([slow])).toEqual(allLines);
  }, 120_000);

  it('is cut off when it takes nothing for too long, and goes on where it was', async () => {
    await start({ STREAM_STALL_SECONDS: '1', STREAM_HEARTBEAT_SECONDS: '1' });
    const stuck = await open();
    stuck.pause();
    await writeMuch(() => undefined);
    await until(() => responses[0]!.destroyed);
    stuck.resume();
    await until(() => stuck.isClosed);
    const received = numbersOf([stuck]);
    expect(received.length).toBeLessThan(LINES);
    const resumed = await open(undefined, stuck.lastEventId);
    await until(() => numbersOf([stuck, resumed]).length === LINES, 60_000);
    expect(numbersOf([stuck, resumed])).toEqual(allLines);
  }, 120_000);
});

describe('What cannot be read for a while', () => {
  it('is read later: the stream goes on', async () => {
    await start();
    const { id } = await stageDeployment(app, person, 'running');
    const stream = await open(`/deployments/${id}/events/stream`);
    const events = app.app.get(DeploymentEventsRepository);
    const list = events.listOfDeployment.bind(events);
    let failures = 0;
    events.listOfDeployment = (...args) =>
      failures++ < 2
        ? Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
        : list(...args);
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    expect(await stream.has(1)).toHaveLength(1);
    expect(failures).toBeGreaterThan(2);
  });
});

describe('Filters of a log stream', () => {
  it.each([
    ['level=error', ['b error', 'C ERROR']],
    ['level=WARN', ['a warning']],
    ['q=Error', ['b error', 'C ERROR']],
    ['q=%25', ['d 100% \\_']],
    ['q=rr&level=error', ['b error', 'C ERROR']],
    ['level=', ['a warning', 'b error', 'C ERROR', 'd 100% \\_']],
  ])('%s', async (query, messages) => {
    await start();
    const stream = await open(`/agents/${agent.id}/logs/stream?${query}`);
    const logs = [
      { level: 'warning', message: 'a warning' },
      { level: 'error', message: 'b error' },
      { level: 'error', message: 'C ERROR' },
      { level: 'info', message: 'd 100% \\_' },
    ];
    await agent.runtime.post('/agents/logs', { logs });
    expect((await stream.has(messages.length)).map((log) => log.message)).toEqual(messages);
    const listed = (await person.api.get(`/agents/${agent.id}/logs?${query}`)).body;
    expect(listed.map((log: any) => log.message).sort()).toEqual([...messages].sort());
  });

  it('deployment_id', async () => {
    await start();
    const { agent: deployed, id } = await stageDeployment(app, person, 'running');
    const stream = await open(`/agents/${deployed.id}/logs/stream?deployment_id=${id.toUpperCase()}`);
    const { id: other } = (await person.api.post(`/agents/${deployed.id}/deploy`)).body;
    await deployed.runtime.post('/agents/logs', {
      logs: [other, id].map((deployment_id) => ({ level: 'info', message: deployment_id, deployment_id })),
    });
    expect((await stream.has(1)).map((log) => log.message)).toEqual([id]);
  });
});
