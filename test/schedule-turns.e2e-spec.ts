import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, eventsOf, readRun, tell } from './builders/runs.js';
import { createSchedule, lookAtClock, makeDue, readSchedule, runsOf } from './builders/schedules.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** Due on the first of January: no test meets that time, unless it moves it. */
const YEARLY = { cron: '0 0 1 1 *' };
const AN_HOUR = 3_600;
const QUEUE = 3;

let app: TestApp;
/** Another instance on the same database. */
let other: TestApp;
let person: Person;

beforeAll(async () => {
  const settings = { MAX_QUEUED_RUNS_PER_AGENT: `${QUEUE}` };
  app = await startTestApp({ settings });
  other = await startTestApp({ database: app.database, settings });
  person = await registerPerson(app);
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await other.close();
  await app.close();
});

/** Lets a due time come, and the service look at it. @returns the due time */
async function come(id: string, secondsAgo = 1): Promise<string> {
  const at = await makeDue(app, id, secondsAgo);
  await lookAtClock(app);
  return at;
}

describe('A due time', () => {
  it("makes a run with the schedule's properties, and leads to the next due time", async () => {
    const agent = await createAgent(app, person);
    const asked = {
      input: { report: 1 },
      name: 'report',
      labels: { a: 'b' },
      priority: 8,
      timeout_seconds: 9,
    };
    const { id, next_run_at: next } = await createSchedule(person, agent, { ...YEARLY, ...asked });
    await come(id);
    const [run, ...more] = await runsOf(person, agent);
    expect(more).toEqual([]);
    expect(run).toMatchObject({
      ...asked,
      status: 'queued',
      status_source: 'monitor',
      source: 'schedule',
      schedule_id: id,
      actor: `schedule:${id}`,
    });
    expect(await eventsOf(person, run!.id)).toEqual(['queued']);
    expect(await readSchedule(person, id)).toMatchObject({
      next_run_at: next,
      last_run: { id: run!.id, status: 'queued', queued_at: run!.queued_at },
    });
  });

  it('makes one run when two instances look at the same moment', async () => {
    const agents = await Promise.all(Array.from({ length: 5 }, () => createAgent(app, person)));
    const schedules = await Promise.all(agents.map((agent) => createSchedule(person, agent, YEARLY)));
    await Promise.all(schedules.map(({ id }) => makeDue(app, id, 1)));
    await Promise.all([app, other, app, other].map((instance) => lookAtClock(instance)));
    for (const agent of agents) expect(await runsOf(person, agent)).toHaveLength(1);
  });

  it('makes no second run when the clock is set back', async () => {
    const agent = await createAgent(app, person);
    const { id, next_run_at: next } = await createSchedule(person, agent, { ...YEARLY, overlap: 'allow' });
    const at = await come(id);
    await app.database.query('UPDATE schedules SET next_run_at = $2 WHERE id = $1', [id, at]);
    await lookAtClock(app);
    expect(await runsOf(person, agent)).toHaveLength(1);
    expect(await readSchedule(person, id)).toMatchObject({ next_run_at: next });
  });

  it('is skipped while the queue of the agent is full', async () => {
    const agent = await createAgent(app, person);
    for (let queued = 0; queued < QUEUE; queued++) await ask(person, agent);
    const { id, next_run_at: next } = await createSchedule(person, agent, YEARLY);
    await come(id);
    expect(await runsOf(person, agent)).toHaveLength(QUEUE);
    expect(await readSchedule(person, id)).toMatchObject({ next_run_at: next, last_run: null });
  });

  it('wakes a claim that waits', async () => {
    const worker = await createWorker(app, person);
    const { id } = await createSchedule(person, worker, YEARLY);
    expect(await claim(worker)).toEqual([]);
    const waiting = claim(worker, { wait: 30 });
    await come(id);
    expect(await waiting).toHaveLength(1);
  });
});

describe('After an outage of an hour', () => {
  it('a schedule that catches up on nothing passes the missed times over', async () => {
    const agent = await createAgent(app, person);
    const { id, next_run_at: next } = await createSchedule(person, agent, { ...YEARLY, catch_up: 'none' });
    await come(id, AN_HOUR);
    expect(await runsOf(person, agent)).toEqual([]);
    expect(await readSchedule(person, id)).toMatchObject({ next_run_at: next });
  });

  it('a schedule that catches up once makes one run for all missed times', async () => {
    const agent = await createAgent(app, person);
    const body = { cron: null, every_seconds: 3_000, catch_up: 'one', overlap: 'allow' };
    const { id } = await createSchedule(person, agent, body);
    await come(id, 10 * AN_HOUR);
    await lookAtClock(app);
    expect(await runsOf(person, agent)).toHaveLength(1);
    const { next_run_at: next } = await readSchedule(person, id);
    expect(Date.parse(next!)).toBeGreaterThan(Date.now());
  });
});

describe('While a run of the schedule has not ended', () => {
  it('a due time is skipped if the schedule skips', async () => {
    const worker = await createWorker(app, person);
    const { id } = await createSchedule(person, worker, { ...YEARLY, overlap: 'skip' });
    await come(id, 9);
    const first = (await claim(worker, { limit: 2 }))[0]!.run_id;
    await come(id, 6);
    expect(await runsOf(person, worker)).toHaveLength(1);
    await tell(worker, { run_id: first, status: 'succeeded' });
    await come(id, 3);
    expect(await runsOf(person, worker)).toHaveLength(2);
  });

  it('a run is queued until its end if the schedule queues, and says why it waits', async () => {
    const worker = await createWorker(app, person);
    const { id } = await createSchedule(person, worker, { ...YEARLY, overlap: 'queue' });
    await come(id, 9);
    await come(id, 6);
    const [second, first] = await runsOf(person, worker);
    expect((await claim(worker, { limit: 2 })).map((run) => run.run_id)).toEqual([first!.id]);
    expect(await claim(worker, { limit: 2 })).toEqual([]);
    const reason = 'waiting for an earlier run of the same schedule to end';
    await until(async () => (await readRun(person, second!.id)).waiting_reason === reason);
    const { id: unrelated } = await ask(person, worker);
    expect((await claim(worker, { limit: 2 })).map((run) => run.run_id)).toEqual([unrelated]);
    const waiting = claim(worker, { limit: 2, wait: 30 });
    await tell(worker, { run_id: first!.id, status: 'failed', error: 'x' });
    expect((await waiting).map((run) => run.run_id)).toEqual([second!.id]);
  });

  it('another run is begun if the schedule allows it', async () => {
    const worker = await createWorker(app, person);
    const { id } = await createSchedule(person, worker, { ...YEARLY, overlap: 'allow' });
    await come(id, 9);
    await come(id, 6);
    expect(await claim(worker, { limit: 3 })).toHaveLength(2);
  });

  it('a run waits for the next attempt of an earlier one, too', async () => {
    const worker = await createWorker(app, person);
    const retry = { max_attempts: 2, first_delay_seconds: 0 };
    const { id } = await createSchedule(person, worker, { ...YEARLY, overlap: 'queue', retry });
    await come(id, 9);
    const first = (await claim(worker))[0]!.run_id;
    await come(id, 6);
    await tell(worker, { run_id: first, status: 'failed' });
    expect(await claim(worker, { limit: 2 })).toMatchObject([{ run_id: first, attempt: 2 }]);
  });
});
