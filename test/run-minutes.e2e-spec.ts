import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import type { TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { ask, claim, createWorker, readRun, tell } from './builders/runs.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await app.close();
});

async function createBudget(body: object): Promise<any> {
  const reply = await person.api.post('/budgets', { name: 'minutes', period: 'month', ...body });
  expect(reply.status).toBe(201);
  return reply.body;
}

/** A budget for all runs of an agent in this month, as it is judged now. */
const ofMonth = async (agent: TestAgent): Promise<number> => {
  const { id, spent } = await createBudget({ agent_id: agent.id, limit: { minutes: 1_000_000 } });
  await person.api.delete(`/budgets/${id}`);
  return spent.minutes;
};

const judgeAll = () => until(() => app.app.get(PeriodicJobs).runOnce('budgets'));

/** A run that its agent has had for some seconds. */
async function underWay(seconds: number, body: object = {}, worker?: TestAgent) {
  const agent = worker ?? (await createWorker(app, person));
  const { id } = await ask(person, agent, body);
  await claim(agent);
  await age(id, seconds);
  return { agent, id };
}

/** Makes the attempt that is under way longer. */
const age = (id: string, seconds: number) =>
  app.database.query(
    `UPDATE runs SET started_at = started_at - make_interval(secs => $2),
       counted_until = counted_until - make_interval(secs => $2) WHERE id = $1`,
    [id, seconds],
  );

describe('The minutes of runs', () => {
  it('count while a run is under way and when it has ended, the same', async () => {
    const { agent, id } = await underWay(90);
    expect(await ofMonth(agent)).toBeCloseTo(1.5, 0);
    await tell(agent, { run_id: id, status: 'succeeded' });
    expect(await ofMonth(agent)).toBeCloseTo(1.5, 0);
  });

  it('include all attempts of a run, also one that was given back', async () => {
    const { agent, id } = await underWay(60, { retry: { max_attempts: 2 } });
    await createBudget({ agent_id: agent.id, period: 'run', limit: { minutes: 2.5 }, on_exceeded: 'stop' });
    await tell(agent, { run_id: id, status: 'queued' });
    await claim(agent);
    await age(id, 60);
    await tell(agent, { run_id: id, status: 'failed' });
    await claim(agent);
    await judgeAll();
    expect((await readRun(person, id)).cancel_requested_at).toBeNull();
    await age(id, 60);
    await judgeAll();
    expect((await readRun(person, id)).cancel_requested_at).not.toBeNull();
    expect(await ofMonth(agent)).toBeCloseTo(3, 0);
  });

  it('count in the hours in which they were taken', async () => {
    const { agent, id } = await underWay(3 * 3_600);
    await tell(agent, { run_id: id, status: 'succeeded' });
    const hours = await app.database.query<{ minutes: number }>(
      'SELECT run_ms / 60000.0::float8 AS minutes FROM run_time_hourly WHERE agent_id = $1',
      [agent.id],
    );
    expect(hours.reduce((sum, { minutes }) => sum + minutes, 0)).toBeCloseTo(180, 0);
    expect(hours.map(({ minutes }) => minutes).every((minutes) => minutes <= 60)).toBe(true);
    const { spent } = await createBudget({ agent_id: agent.id, period: 'hour', limit: { minutes: 1_000 } });
    expect(spent.minutes).toBeLessThanOrEqual(61);
  });

  it('stay with the project in which they were taken when the agent is handed over', async () => {
    const { agent, id } = await underWay(120);
    await tell(agent, { run_id: id, status: 'succeeded' });
    const { id: other } = await underWay(60, {}, agent);
    const former = await createBudget({ limit: { minutes: 1_000_000 } });
    const project = await createProject(person);
    expect((await person.api.patch(`/agents/${agent.id}`, { project_id: project })).status).toBe(200);
    const later = await createBudget({ project_id: project, limit: { minutes: 1_000_000 } });
    expect(later.spent.minutes).toBeLessThan(0.5);
    await age(other, 60);
    await tell(agent, { run_id: other, status: 'succeeded' });
    await judgeAll();
    const spentOf = async ({ id: budget }: { id: string }) =>
      (await person.api.get(`/budgets/${budget}`)).body.spent.minutes;
    expect(await spentOf(former)).toBeCloseTo(former.spent.minutes, 0);
    expect(await spentOf(later)).toBeCloseTo(1, 0);
  });

  it('of a late end of an attempt that was given up are not counted again', async () => {
    const { agent, id } = await underWay(60);
    await agent.runtime.post('/agents/register', {});
    expect(await readRun(person, id)).toMatchObject({ status: 'abandoned' });
    await tell(agent, { run_id: id, status: 'succeeded' });
    expect(await ofMonth(agent)).toBeCloseTo(1, 0);
  });

  it('of a run that its agent has begun long ago count for a month at most', async () => {
    const agent = await createWorker(app, person);
    const run = { run_key: 'old', started_at: '1970-01-01T00:00:00Z' };
    await agent.runtime.post('/agents/runs', { runs: [{ ...run, status: 'running' }] });
    await agent.runtime.post('/agents/runs', { runs: [{ ...run, status: 'succeeded' }] });
    const [row] = await app.database.query<{ hours: number }>(
      'SELECT count(*)::int AS hours FROM run_time_hourly WHERE agent_id = $1',
      [agent.id],
    );
    expect(row!.hours).toBeGreaterThan(0);
    expect(row!.hours).toBeLessThanOrEqual(31 * 24 + 1);
  });
});
