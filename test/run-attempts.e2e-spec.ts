import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, eventsOf, readRun, tell } from './builders/runs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

/** A run whose first attempt the service has given up, because its agent has started without it; the next one is queued. */
async function givenUp() {
  const worker = await createWorker(app, person);
  const { id } = await ask(person, worker, { retry: { max_attempts: 2, abandoned: true } });
  await claim(worker);
  await worker.runtime.post('/agents/register', {});
  expect(await readRun(person, id)).toMatchObject({ status: 'queued', attempt: 1 });
  return { worker, id };
}

/** The same with the second attempt under way. */
async function begunAgain() {
  const { worker, id } = await givenUp();
  expect(await claim(worker)).toMatchObject([{ run_id: id, attempt: 2 }]);
  return { worker, id };
}

describe('A report of an attempt that the service has given up', () => {
  it.each(['succeeded', 'failed', 'cancelled', 'queued', 'waiting'])(
    'changes nothing of the attempt that is under way: %s',
    async (status) => {
      const { worker, id } = await begunAgain();
      const said = { status, output: 'late', error: 'late', waiting_reason: 'late' };
      expect(await tell(worker, { run_id: id, attempt: 1, progress: { percent: 90 }, ...said })).toEqual({
        run_id: id,
        run_key: null,
        status: 'running',
        attempt: 2,
        cancel_requested: false,
      });
      const run = { status: 'running', attempt: 2, output: null, progress: null, waiting_reason: null };
      // the error is still that of the attempt before
      const error = 'The runtime restarted without the run';
      expect(await readRun(person, id)).toMatchObject({ ...run, error });
      expect(await tell(worker, { run_id: id, attempt: 2, status: 'succeeded', output: 7 })).toMatchObject({
        status: 'succeeded',
      });
      expect(await readRun(person, id)).toMatchObject({ status: 'succeeded', output: 7 });
      expect(await eventsOf(person, id)).toEqual([
        'queued',
        'started',
        'abandoned',
        'queued',
        'started',
        'succeeded',
      ]);
    },
  );

  it('changes nothing of the next one that is queued', async () => {
    const { worker, id } = await givenUp();
    const report = { run_id: id, attempt: 1, status: 'succeeded' };
    expect(await tell(worker, report)).toMatchObject({ status: 'queued', attempt: 1 });
    expect(await claim(worker)).toMatchObject([{ run_id: id, attempt: 2 }]);
  });

  it('changes nothing of the next one that is presumed to have ended, whose own end counts', async () => {
    const { worker, id } = await begunAgain();
    await worker.runtime.post('/agents/register', {});
    expect(await tell(worker, { run_id: id, attempt: 1, status: 'succeeded' })).toMatchObject({
      status: 'abandoned',
    });
    expect(await tell(worker, { run_id: id, attempt: 2, status: 'failed' })).toMatchObject({
      status: 'failed',
    });
  });

  it('does not extend the lease of the current attempt', async () => {
    const { worker, id } = await begunAgain();
    const { last_seen_at: before } = await readRun(person, id);
    await tell(worker, { run_id: id, attempt: 1, status: 'running' });
    expect(await readRun(person, id)).toMatchObject({ last_seen_at: before });
  });

  it('is judged by itself in a batch that has one of the newest attempt, too', async () => {
    const { worker, id } = await begunAgain();
    const runs = [1, 2].map((attempt) => ({ run_id: id, attempt, status: 'succeeded', output: attempt }));
    const reply = await worker.runtime.post('/agents/runs', { runs });
    expect(reply.body.runs.map(({ status }: { status: string }) => status)).toEqual(['running', 'succeeded']);
    expect(await readRun(person, id)).toMatchObject({ output: 2 });
  });
});

describe('A report that names its attempt', () => {
  it('counts as a late end while no further attempt is queued', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker, { timeout_seconds: 1 });
    await claim(worker);
    await until(async () => {
      await app.app.get(PeriodicJobs).runOnce('runs');
      return (await readRun(person, id)).status === 'timed_out';
    });
    await tell(worker, { run_id: id, attempt: 1, status: 'succeeded', output: 1 });
    expect(await readRun(person, id)).toMatchObject({ status: 'succeeded', output: 1 });
  });

  it('counts for the newest one when it names none', async () => {
    const { worker, id } = await begunAgain();
    expect(await tell(worker, { run_id: id, status: 'succeeded' })).toMatchObject({ status: 'succeeded' });
  });

  it('is ignored when that is no number of an attempt', async () => {
    const { worker, id } = await begunAgain();
    const runs = [{ run_id: id, attempt: 0, status: 'succeeded' }];
    const reply = await worker.runtime.post('/agents/runs', { runs });
    expect(reply.body).toMatchObject({ runs: [], refused: [{ field: 'runs.0.attempt' }] });
    expect(await readRun(person, id)).toMatchObject({ status: 'running' });
  });
});

describe('An attempt that its runtime has given back unstarted', () => {
  it('keeps its number, so that its late reports change nothing of the next one', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker);
    await claim(worker);
    await tell(worker, { run_id: id, attempt: 1, status: 'queued' });
    expect(await readRun(person, id)).toMatchObject({ status: 'queued', attempt: 1 });
    expect(await claim(worker)).toMatchObject([{ run_id: id, attempt: 2 }]);
    const late = { run_id: id, attempt: 1, status: 'succeeded', output: 'late' };
    expect(await tell(worker, late)).toMatchObject({ status: 'running', attempt: 2 });
  });

  it('counts neither for the number of attempts nor for the pause between them', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker, { retry: { max_attempts: 2, first_delay_seconds: 60 } });
    await claim(worker);
    await tell(worker, { run_id: id, attempt: 1, status: 'queued' });
    await claim(worker);
    expect(await tell(worker, { run_id: id, attempt: 2, status: 'failed' })).toMatchObject({
      status: 'queued',
    });
    const soon = await app.database.query(
      `UPDATE runs SET available_at = now() WHERE id = $1 AND available_at < now() + interval '70 seconds' RETURNING id`,
      [id],
    );
    expect(soon).toHaveLength(1);
    await claim(worker);
    expect(await tell(worker, { run_id: id, attempt: 3, status: 'failed' })).toMatchObject({
      status: 'failed',
    });
  });
});
