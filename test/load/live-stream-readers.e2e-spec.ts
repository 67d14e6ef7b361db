import type { ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { EventFeedRepository } from '../../src/deployments/event-feed.repository.js';
import { LogFollowingService } from '../../src/telemetry/log-following.service.js';
import { LogTailRepository } from '../../src/telemetry/log-tail.repository.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { stageDeployment } from '../harness/deployment-states.js';
import { EventStream } from '../harness/event-stream.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

/** Maximum number of unsent bytes for one reader: the limit of a buffer, and a page written after it. */
const MOST_BUFFERED = 64 * 1024 + 2 * 128 * 1024;
/** Number of readers of each of three streams. */
const READERS = 8;
const CHANGES = 6;
const LINE_BYTES = 16 * 1024;
const LINES_AT_ONCE = 30;
/** Calls of half a megabyte beyond the kernel's buffers of a connection: five times the limit of unsent bytes. */
const CALLS_BEYOND = 4;

let app: TestApp;
let person: Person;
let agent: TestAgent;
const opened: EventStream[] = [];
/** The service's responses of the streams, in the order in which they were opened. */
const responses: ServerResponse[] = [];

async function start(settings: Record<string, string> = {}): Promise<TestApp> {
  const started = await startTestApp({ settings });
  started.app.getHttpServer().on('request', (request, response) => {
    if (request.url?.includes('/stream')) responses.push(response);
  });
  return started;
}

let usual: TestApp;

beforeAll(async () => {
  usual = await start();
});

afterAll(() => usual.close());

/** @param on absent: the service with the default settings */
async function begin(on = usual): Promise<void> {
  app = on;
  person = await registerPerson(app);
  agent = await createAgent(app, person);
}

afterEach(async () => {
  jest.restoreAllMocks();
  opened.splice(0).forEach((stream) => stream.close());
  responses.splice(0);
  if (app !== usual) await app.close();
});

async function open(path = `/agents/${agent.id}/logs/stream`, lastEventId?: string) {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const stream = await EventStream.open(app.url, path, { credential: person.accessToken, headers });
  opened.push(stream);
  await until(() => stream.lastEventId);
  return stream;
}

/**
 * Writes logs until the first reader's connection is full, and megabytes more; `each` is called after each batch.
 *
 * @returns the number of lines
 */
async function writeMuch(each: () => void): Promise<number> {
  const filling = 'x'.repeat(LINE_BYTES);
  let line = 0;
  for (let callsHeldUp = 0; callsHeldUp < CALLS_BEYOND && !responses[0]!.destroyed;) {
    const logs = Array.from({ length: LINES_AT_ONCE }, () => ({
      level: 'info',
      message: `${line++} ${filling}`,
    }));
    expect((await agent.runtime.post('/agents/logs', { logs })).status).toBe(200);
    callsHeldUp = responses[0]!.writableLength > 0 ? callsHeldUp + 1 : 0;
    each();
  }
  return line;
}

const numbersOf = (streams: EventStream[]) =>
  streams.flatMap((stream) => stream.data.map((log) => Number.parseInt(log.message, 10)));
const linesTo = (count: number) => Array.from({ length: count }, (_, line) => line);

describe('Many readers of one stream', () => {
  it('share their reads of the database', async () => {
    await begin();
    const { id, agent: deployed } = await stageDeployment(app, person, 'running');
    const paths = [
      `/deployments/${id}/events/stream`,
      '/events/stream',
      `/agents/${deployed.id}/logs/stream`,
    ];
    const streams = await Promise.all(
      Array.from({ length: 3 * READERS }, (_, index) => open(paths[index % 3])),
    );
    const events = app.app.get(EventFeedRepository);
    const reads = [
      jest.spyOn(events, 'listOfDeployment'),
      jest.spyOn(events, 'listOfProject'),
      jest.spyOn(app.app.get(LogTailRepository), 'read'),
    ];
    for (let count = 1; count <= CHANGES; count++) {
      await person.api.post(`/deployments/${id}/scale`, { replicas: count });
      await deployed.runtime.post('/agents/logs', { level: 'info', message: String(count) });
      // All readers keep up: on a busy machine those behind would read for themselves.
      for (const stream of streams) expect(await stream.has(count)).toHaveLength(count);
    }
    // A reader's own read goes up to the position of the others, the shared one to the end. A delayed reader reads for
    // itself, but otherwise each reader would have read each change.
    for (const { calls } of reads.map(({ mock }) => mock)) {
      expect(calls.length).toBeGreaterThan(0);
      expect(calls.filter(([, , , upTo]) => upTo !== null).length).toBeLessThan((READERS * CHANGES) / 4);
    }
  }, 90_000);

  it('cause no reads after they have disconnected', async () => {
    await begin();
    const pollers = app.app.get(LogFollowingService)['pollers']['pollers'];
    // those of the earlier tests have ended, too
    await until(() => pollers.size === 0);
    const streams = [await open(), await open()];
    expect([...pollers.keys()]).toEqual([agent.id]);
    streams.forEach((stream) => stream.close());
    await until(() => pollers.size === 0);
  });
});

describe('A slow reader', () => {
  it('uses bounded memory, delays no other reader, and gets every line', async () => {
    // No reader is disconnected, however long the writing takes: that is in the next test.
    await begin(await start({ STREAM_STALL_SECONDS: '600' }));
    const slow = await open();
    const quick = await open();
    slow.pause();
    let most = 0;
    const lines = await writeMuch(() => (most = Math.max(most, responses[0]!.writableLength)));
    await until(() => quick.events.length === lines, 60_000);
    expect(numbersOf([quick])).toEqual(linesTo(lines));
    expect(numbersOf([slow]).length).toBeLessThan(lines);
    expect(responses[0]!.writableLength).toBeGreaterThan(0);
    expect(most).toBeLessThan(MOST_BUFFERED);
    slow.resume();
    await until(() => slow.events.length === lines, 60_000);
    expect(numbersOf([slow])).toEqual(linesTo(lines));
  }, 120_000);

  it('is disconnected when it reads nothing for too long, and continues at its position', async () => {
    await begin(await start({ STREAM_STALL_SECONDS: '1', STREAM_HEARTBEAT_SECONDS: '1' }));
    const stuck = await open();
    stuck.pause();
    const lines = await writeMuch(() => undefined);
    await until(() => responses[0]!.destroyed);
    stuck.resume();
    await until(() => stuck.isClosed);
    const received = numbersOf([stuck]);
    expect(received.length).toBeLessThan(lines);
    const connections = [stuck];
    const count = () => connections.reduce((sum, { events }) => sum + events.length, 0);
    await until(async () => {
      // The limit is one second: on a busy machine a reader may be disconnected once more.
      const last = connections.at(-1)!;
      if (last.isClosed) connections.push(await open(undefined, last.lastEventId));
      return count() === lines;
    }, 60_000);
    expect(numbersOf(connections)).toEqual(linesTo(lines));
  }, 120_000);
});

describe('A feed that cannot be read for a while', () => {
  it('is read later, and the stream continues', async () => {
    await begin();
    const { id } = await stageDeployment(app, person, 'running');
    const stream = await open(`/deployments/${id}/events/stream`);
    const events = app.app.get(EventFeedRepository);
    const gone = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    const list = jest
      .spyOn(events, 'listOfDeployment')
      .mockRejectedValueOnce(gone)
      .mockRejectedValueOnce(gone);
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    expect(await stream.has(1)).toHaveLength(1);
    expect(list.mock.calls.length).toBeGreaterThan(2);
  });
});

describe('A filter of a log stream', () => {
  it.each([
    ['level=error', ['b error', 'C ERROR']],
    ['level=WARN', ['a warning']],
    ['q=Error', ['b error', 'C ERROR']],
    ['q=%25', ['d 100% \\_']],
    ['q=rr&level=error', ['b error', 'C ERROR']],
    ['level=', ['a warning', 'b error', 'C ERROR', 'd 100% \\_']],
  ])('selects the same lines as in the list: %s', async (query, messages) => {
    await begin();
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

  it('selects the lines of one deployment: deployment_id', async () => {
    await begin();
    const { agent: deployed, id } = await stageDeployment(app, person, 'running');
    const stream = await open(`/agents/${deployed.id}/logs/stream?deployment_id=${id.toUpperCase()}`);
    const { id: other } = (await person.api.post(`/agents/${deployed.id}/deploy`)).body;
    await deployed.runtime.post('/agents/logs', {
      logs: [other, id].map((deployment_id) => ({ level: 'info', message: deployment_id, deployment_id })),
    });
    expect((await stream.has(1)).map((log) => log.message)).toEqual([id]);
  });
});
