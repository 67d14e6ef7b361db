import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { periodAt } from '../src/budgets/budget-period.js';
import type { TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun, tell } from './builders/runs.js';
import { exportSpans, llmSpan } from './builders/traces.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let other: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ database: app.database });
  person = await registerPerson(app);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

const read = async (path: string): Promise<any> => (await person.api.get(path)).body;

async function createBudget(body: object): Promise<any> {
  const reply = await person.api.post('/budgets', { name: 'a budget', period: 'run', ...body });
  expect(reply.status).toBe(201);
  return reply.body;
}

const change = async ({ id }: { readonly id: string }, body: object): Promise<any> =>
  (await person.api.patch(`/budgets/${id}`, body)).body;

const judgeAll = () => until(() => app.app.get(PeriodicJobs).runOnce('budgets'));

/** How often a budget has reported a step, by its entries in the audit log. */
async function toldOf({ id }: { readonly id: string }, action: string): Promise<number> {
  const { body } = await person.api.get(`/audit?target_id=${id}&limit=100`);
  return body.filter((entry: { action: string }) => entry.action === action).length;
}

/** A run under way that has called a model some times. */
async function calling(worker: TestAgent, calls: number): Promise<{ readonly id: string }> {
  const { id } = await ask(person, worker);
  await claim(worker);
  const attributes = { 'agent_control_plane.run_id': id };
  await exportSpans(
    worker,
    Array.from({ length: calls }, () => llmSpan({ attributes })),
  );
  return { id };
}

const isToBeEnded = async ({ id }: { readonly id: string }) =>
  (await readRun(person, id)).cancel_requested_at !== null;

describe('A budget for runs', () => {
  it('is ok again when the run that has exceeded it is over', async () => {
    const worker = await createWorker(app, person);
    const budget = await createBudget({ agent_id: worker.id, limit: { llm_calls: 2 } });
    const first = await calling(worker, 3);
    await until(async () => (await read(`/budgets/${budget.id}`)).state === 'exceeded');
    await tell(worker, { run_id: first.id, status: 'succeeded' });
    await judgeAll();
    expect(await read(`/budgets/${budget.id}`)).toMatchObject({ state: 'ok', spent: { llm_calls: 0 } });
  });

  it('stays exceeded by one run while another one only comes near', async () => {
    const worker = await createWorker(app, person);
    const budget = await createBudget({ agent_id: worker.id, limit: { llm_calls: 5 } });
    await calling(worker, 6);
    await until(async () => (await toldOf(budget, 'budget.exceed')) === 1);
    await calling(worker, 4);
    await until(async () => (await toldOf(budget, 'budget.warn')) === 1);
    expect(await read(`/budgets/${budget.id}`)).toMatchObject({ state: 'exceeded', spent: { llm_calls: 6 } });
  });

  it('ends a run that was past its limit before, and reports it once', async () => {
    const worker = await createWorker(app, person);
    const budget = await createBudget({ agent_id: worker.id, limit: { llm_calls: 1 } });
    const run = await calling(worker, 2);
    await until(async () => (await toldOf(budget, 'budget.exceed')) === 1);
    await change(budget, { on_exceeded: 'stop' });
    await judgeAll();
    expect(await isToBeEnded(run)).toBe(true);
    expect(await toldOf(budget, 'budget.exceed')).toBe(1);
  });

  it('reports a run again that reaches a raised limit', async () => {
    const worker = await createWorker(app, person);
    const budget = await createBudget({ agent_id: worker.id, limit: { llm_calls: 1 } });
    const run = await calling(worker, 1);
    await until(async () => (await toldOf(budget, 'budget.exceed')) === 1);
    expect(await change(budget, { limit: { llm_calls: 10 }, on_exceeded: 'pause' })).toMatchObject({
      state: 'ok',
    });
    const attributes = { 'agent_control_plane.run_id': run.id };
    await exportSpans(
      worker,
      Array.from({ length: 9 }, () => llmSpan({ attributes })),
    );
    await until(() => isToBeEnded(run));
    expect(await toldOf(budget, 'budget.exceed')).toBe(2);
  });
});

describe('A budget that two instances judge at once', () => {
  it('warns once and is exceeded once', async () => {
    const worker = await createWorker(app, person);
    const budget = await createBudget({ period: 'day', agent_id: worker.id, limit: { llm_calls: 40 } });
    const elsewhere = { runtime: other.api.as(worker.key) };
    // what both export together ends in these states: 20, 34 and 46 calls
    for (const [calls, state] of [
      [10, 'ok'],
      [7, 'warning'],
      [6, 'exceeded'],
    ] as const) {
      await Promise.all(
        [worker, elsewhere].map((on) =>
          exportSpans(
            on,
            Array.from({ length: calls }, () => llmSpan()),
          ),
        ),
      );
      await Promise.all([app, other].map(({ app: on }) => on.get(PeriodicJobs).runOnce('budgets')));
      await until(async () => (await read(`/budgets/${budget.id}`)).state === state);
    }
    await judgeAll();
    expect([await toldOf(budget, 'budget.warn'), await toldOf(budget, 'budget.exceed')]).toEqual([1, 1]);
  });
});

describe('The period of a budget', () => {
  const periodOf = async (at: string, period: string, zone: string) => {
    const [row] = await app.database.query<{ started: Date; resets: Date }>(
      `SELECT started_at AS started, resets_at AS resets FROM ${periodAt('$1::timestamptz', '$2::text', '$3::text')} AS period`,
      [at, period, zone],
    );
    return [row!.started, row!.resets].map((time) => new Date(time).toISOString().slice(5, 16));
  };

  it.each<[string, string, string, string, string, string]>([
    ['a day of 25 hours', '2026-10-25T12:00Z', 'day', 'Europe/Berlin', '10-24T22:00', '10-25T23:00'],
    ['a day of 23 hours', '2026-03-29T12:00Z', 'day', 'Europe/Berlin', '03-28T23:00', '03-29T22:00'],
    ['the first of two hours', '2026-10-25T00:30Z', 'hour', 'Europe/Berlin', '10-25T00:00', '10-25T01:00'],
    ['the second of two hours', '2026-10-25T01:30Z', 'hour', 'Europe/Berlin', '10-25T01:00', '10-25T02:00'],
    ['before a second midnight', '2026-11-01T04:30Z', 'day', 'America/Havana', '10-31T04:00', '11-01T05:00'],
    ['after a second midnight', '2026-11-01T05:30Z', 'day', 'America/Havana', '11-01T05:00', '11-02T05:00'],
    ['a day without midnight', '2026-04-24T12:00Z', 'day', 'Africa/Cairo', '04-23T22:00', '04-24T21:00'],
    ['the end of a short month', '2026-02-28T22:59Z', 'month', 'Europe/Berlin', '01-31T23:00', '02-28T23:00'],
    ['a month with a change', '2026-10-31T22:30Z', 'month', 'Europe/Berlin', '09-30T22:00', '10-31T23:00'],
  ])('is right for %s', async (_, at, period, zone, started, resets) => {
    expect(await periodOf(at, period, zone)).toEqual([started, resets]);
  });
});
