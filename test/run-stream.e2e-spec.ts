import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, tell } from './builders/runs.js';
import { expectError } from './harness/error-shape.js';
import { EventStream } from './harness/event-stream.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;
let worker: Awaited<ReturnType<typeof createWorker>>;
let runId: string;
const opened: EventStream[] = [];

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

beforeEach(async () => {
  worker = await createWorker(app, person);
  runId = (await ask(person, worker)).id;
});

afterEach(() => opened.splice(0).forEach((stream) => stream.close()));

afterAll(() => app.close());

async function open(lastEventId?: string, query = ''): Promise<EventStream> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  const path = `/runs/${runId}/stream${query}`;
  const stream = await EventStream.open(app.url, path, { credential: person.accessToken, headers });
  opened.push(stream);
  return stream;
}

const write = (...messages: string[]) =>
  worker.runtime.post('/agents/logs', {
    logs: messages.map((message) => ({ level: 'info', message, run_id: runId })),
  });

/** The received events, in words. */
const wordsOf = (rows: readonly any[]) =>
  rows.map(
    ({ type, event, log, progress }) => event?.event_type ?? log?.message ?? `${type} ${progress.percent}`,
  );

/** Lets the time pass after which a run that has ended is over. */
const letPass = () =>
  app.database.query(
    `UPDATE runs SET ended_at = now() - interval '1 minute', last_seen_at = now() - interval '1 minute'
     WHERE id = $1`,
    [runId],
  );

async function work(): Promise<void> {
  await claim(worker);
  await write('one', 'two');
  await tell(worker, { run_id: runId, status: 'running', progress: { percent: 40 } });
  await write('three');
  await tell(worker, { run_id: runId, status: 'succeeded' });
}

describe('GET /runs/{run_id}/stream', () => {
  it('sends the history, the log and the progress as they happen, and ends after the run', async () => {
    const stream = await open();
    await stream.has(1);
    await claim(worker);
    await stream.has(2);
    await write('one');
    await stream.has(3);
    await tell(worker, { run_id: runId, status: 'running', progress: { percent: 40 } });
    await stream.has(4);
    await tell(worker, { run_id: runId, status: 'succeeded' });
    // However slow this machine is, the run is not over yet.
    await app.database.query("UPDATE runs SET ended_at = now() + interval '1 hour' WHERE id = $1", [runId]);
    await stream.has(5);
    await write('last words');
    await stream.has(6);
    expect(wordsOf(stream.data)).toEqual([
      'queued',
      'started',
      'one',
      'progress 40',
      'succeeded',
      'last words',
    ]);
    await letPass();
    expect(await stream.ended()).toBe('ended');
    expect(stream.data).toHaveLength(6);
  });

  it('sends all of a run that is over, in the order of time, and ends', async () => {
    await work();
    await worker.runtime.post('/agents/logs', { level: 'info', message: 'of no run' });
    await letPass();
    const stream = await open();
    expect(await stream.ended()).toBe('ended');
    expect(wordsOf(stream.data)).toEqual([
      'queued',
      'started',
      'one',
      'two',
      'three',
      'succeeded',
      'progress 40',
    ]);
  });

  it('resumes after any of its events without a loss or a repetition', async () => {
    await work();
    await letPass();
    const whole = await open();
    await whole.ended();
    const rows = whole.events.filter(({ event }) => event === 'message');
    const expected = wordsOf(whole.data);
    for (const [index, { id }] of rows.entries()) {
      const resumed = await open(id);
      expect(await resumed.ended()).toBe('ended');
      expect(wordsOf(resumed.data)).toEqual(expected.slice(index + 1));
    }
  });

  it('begins now if it is asked to, and resumes from there', async () => {
    await claim(worker);
    await write('before');
    await tell(worker, { run_id: runId, status: 'running', progress: { percent: 40 } });
    const stream = await open(undefined, '?from=now');
    await until(() => stream.lastEventId !== '');
    stream.close();
    await write('between');
    const resumed = await open(stream.lastEventId, '?from=now');
    await resumed.has(1);
    await tell(worker, { run_id: runId, status: 'succeeded' });
    await resumed.has(2);
    expect(wordsOf([...stream.data, ...resumed.data])).toEqual(['between', 'succeeded']);
    const { status, body } = await open(undefined, '?from=yesterday');
    expect([status, body?.errors?.[0]?.field]).toEqual([422, 'from']);
  });

  it('sends hundreds of lines in pages, with the end of the run after them', async () => {
    await claim(worker);
    const lines = Array.from({ length: 450 }, (_, index) => `line ${index}`);
    await write(...lines);
    await tell(worker, { run_id: runId, status: 'failed', error: 'broken' });
    await letPass();
    const stream = await open();
    expect(await stream.ended()).toBe('ended');
    expect(wordsOf(stream.data)).toEqual(['queued', 'started', ...lines, 'failed']);
  });

  it('continues at the next attempt of a run', async () => {
    runId = (await ask(person, worker, { retry: { max_attempts: 2 }, priority: 9 })).id;
    await claim(worker);
    const stream = await open();
    await tell(worker, { run_id: runId, status: 'failed', error: 'no luck' });
    await stream.has(4);
    expect(wordsOf(stream.data)).toEqual(['queued', 'started', 'failed', 'queued']);
    await person.api.post(`/runs/${runId}/cancel`, {});
    await stream.has(5);
    await letPass();
    expect(await stream.ended()).toBe('ended');
  });

  it('ends when the run is removed', async () => {
    const stream = await open();
    await stream.has(1);
    await app.database.query('DELETE FROM runs WHERE id = $1', [runId]);
    expect(await stream.ended()).toBe('removed');
  });

  it("refuses an invalid position, one that is ahead, and another project's run", async () => {
    const stream = await open();
    await until(() => stream.lastEventId !== '');
    await stream.has(1);
    for (const position of [
      '7',
      'x_0_1',
      `${stream.lastEventId}_over`,
      stream.lastEventId.replace(/^\d+/, '99'),
    ]) {
      const { status, body } = await open(position);
      expect([position, status, body?.errors?.[0]?.field]).toEqual([position, 422, 'Last-Event-ID']);
    }
    const stranger = await registerPerson(app);
    const reply = await stranger.api.get(`/runs/${runId}/stream`);
    expectError(reply, 404, 'Run not found');
  });
});
