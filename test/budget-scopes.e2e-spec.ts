import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, deploy, poll } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { createWorker } from './builders/runs.js';
import { exportSpans, llmSpan } from './builders/traces.js';
import { untilSomeoneWaits, whileGated } from './harness/held-lock.js';
import { statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

const read = async (path: string): Promise<any> => (await person.api.get(path)).body;

async function createBudget(body: object): Promise<any> {
  const reply = await person.api.post('/budgets', { name: 'a budget', period: 'day', ...body });
  expect(reply.status).toBe(201);
  return reply.body;
}

const round = () => until(() => app.app.get(PeriodicJobs).runOnce('budgets'));

const becomes = (id: string, state: string) =>
  until(async () => (await read(`/budgets/${id}`)).state === state);

const isPaused = async ({ id }: { readonly id: string }) => (await read(`/agents/${id}`)).paused !== null;

/** Calls of the agents of a budget, as a round counts them. */
async function callsOf({ id }: { readonly id: string }): Promise<number> {
  await round();
  return (await read(`/budgets/${id}`)).spent.llm_calls;
}

describe('What agents of a label have spent', () => {
  it('stays spent when they are removed or handed over, and is not taken to the other project', async () => {
    const project_id = await createProject(person);
    const elsewhere = await createProject(person);
    const scope = { label: 'team:leavers', limit: { llm_calls: 100 } };
    const budget = await createBudget({ project_id, ...scope });
    const other = await createBudget({ project_id: elsewhere, ...scope });
    const options = { project_id, labels: { team: 'leavers' } };
    const [removed, moved, stayed] = [
      await createWorker(app, person, options),
      await createWorker(app, person, options),
      await createWorker(app, person, options),
    ];
    for (const agent of [removed, moved, stayed]) await exportSpans(agent, [llmSpan(), llmSpan()]);
    expect(await callsOf(budget)).toBe(6);
    expect((await person.api.delete(`/agents/${removed.id}`)).status).toBe(204);
    await person.api.patch(`/agents/${moved.id}`, { project_id: elsewhere });
    await exportSpans(moved, [llmSpan()]);
    await until(async () => (await callsOf(other)) === 1);
    expect(await callsOf(budget)).toBe(6);
    // with other labels it comes back: it counts by these
    await person.api.patch(`/agents/${moved.id}`, { project_id });
    await person.api.patch(`/agents/${moved.id}`, { labels: { team: 'others' } });
    expect(await callsOf(budget)).toBe(4);
  });
});

describe('A budget that pauses', () => {
  it('holds an agent that loses the label until the budget releases it', async () => {
    const labels = { team: 'relabelled' };
    const spender = await createWorker(app, person, { labels });
    const leaver = await createWorker(app, person, { labels });
    const scope = { label: 'team:relabelled', limit: { llm_calls: 1 }, on_exceeded: 'pause' };
    const budget = await createBudget(scope);
    await exportSpans(spender, [llmSpan()]);
    await until(() => isPaused(leaver));
    await person.api.patch(`/agents/${leaver.id}`, { labels: {} });
    await round();
    expect([await isPaused(spender), await isPaused(leaver)]).toEqual([true, true]);
    await person.api.patch(`/budgets/${budget.id}`, { limit: { llm_calls: 10 } });
    await until(async () => !(await isPaused(spender)) && !(await isPaused(leaver)));
  });

  it('withholds the deploy of an agent that has come to it since its last round', async () => {
    const labels = { team: 'latecomers' };
    const spender = await createAgent(app, person, { labels });
    const scope = { label: 'team:latecomers', limit: { llm_calls: 1 }, on_exceeded: 'pause' };
    const budget = await createBudget(scope);
    await exportSpans(spender, [llmSpan()]);
    await until(() => isPaused(spender));
    const late = await createAgent(app, person, { labels });
    const deploymentId = await deploy(person, late);
    expect(await read(`/agents/${late.id}`)).toMatchObject({ paused: { by: 'budget' } });
    expect(await poll(late)).toEqual([]);
    await person.api.patch(`/budgets/${budget.id}`, { limit: { llm_calls: 10 } });
    const commands = await until(async () => {
      const polled = await poll(late);
      return polled.length > 0 && polled;
    });
    expect(commands).toMatchObject([{ deployment_id: deploymentId, action: 'deploy' }]);
  });
});

describe('A round of budgets that are used up', () => {
  it('queries them together', async () => {
    const spender = await createAgent(app, person);
    for (const on_exceeded of ['pause', 'stop', 'pause', 'stop'])
      await createBudget({ agent_id: spender.id, limit: { llm_calls: 1 }, on_exceeded });
    await exportSpans(spender, [llmSpan()]);
    await until(async () => {
      const budgets = await read(`/budgets?agent_id=${spender.id}`);
      return budgets.every(({ state }: any) => state === 'exceeded');
    });
    // what this instance has just counted may still be judged in between
    await until(async () => {
      const statements = await statementsOf(app, round, 'jobs');
      return !statements.some(({ text }) => /FROM "budgets".*FOR NO KEY UPDATE/s.test(text));
    });
  });
});

describe('A budget that is judged', () => {
  /** A budget for a label whose pause is under way, in the middle of its transaction. */
  async function whilePausing(
    team: string,
    work: (stage: {
      readonly budget: any;
      readonly spender: any;
      readonly project_id: string;
    }) => Promise<void>,
  ): Promise<void> {
    const project_id = await createProject(person);
    const spender = await createWorker(app, person, { project_id, labels: { team } });
    const scope = { project_id, label: `team:${team}`, limit: { llm_calls: 1 }, on_exceeded: 'pause' };
    const budget = await createBudget(scope);
    await whileGated(app.database, 'agent_pauses', 'insertion', async (open) => {
      await exportSpans(spender, [llmSpan()]);
      await untilSomeoneWaits(app.database);
      const worked = work({ budget, spender, project_id });
      await open();
      await worked;
    });
  }

  it('may be deleted meanwhile, which resumes the agents that it has just paused', async () => {
    let agent: any;
    await whilePausing('budget-goes', async ({ budget, spender }) => {
      agent = spender;
      expect((await person.api.delete(`/budgets/${budget.id}`)).status).toBe(204);
    });
    await until(async () => !(await isPaused(agent)));
    expect(await read(`/pauses?agent_id=${agent.id}&is_open=true`)).toEqual([]);
  });

  it('may lose its agent meanwhile', async () => {
    let judged: any;
    await whilePausing('agent-goes', async ({ budget, spender }) => {
      judged = budget;
      expect((await person.api.delete(`/agents/${spender.id}`)).status).toBe(204);
    });
    await becomes(judged.id, 'exceeded');
    await until(async () => {
      const pauses = await read(`/pauses?project_id=${judged.project_id}&is_open=true`);
      return pauses.length === 0;
    });
    await round();
  });

  it('may lose its project meanwhile', async () => {
    let gone = '';
    await whilePausing('project-goes', async ({ spender, project_id }) => {
      gone = project_id;
      expect((await person.api.delete(`/agents/${spender.id}`)).status).toBe(204);
      await until(async () => (await person.api.delete(`/projects/${project_id}`)).status === 204);
    });
    expect((await person.api.get(`/projects/${gone}`)).status).toBe(404);
    await round();
  });
});
