import { deploy, obey } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun } from './builders/runs.js';
import { exportSpans, llmSpan } from './builders/traces.js';
import { expectError } from './harness/error-shape.js';
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

/** A budget of one call a day for a label, which one of its agents has used up. */
async function usedUp(team: string, action: string): Promise<any> {
  const labels = { team };
  const spender = await createWorker(app, person, { labels });
  const scope = { label: `team:${team}`, period: 'day', limit: { llm_calls: 1 } };
  const { body } = await person.api.post('/budgets', {
    name: `day of ${team}`,
    on_exceeded: action,
    ...scope,
  });
  await exportSpans(spender, [llmSpan()]);
  const budget = await until(async () => {
    const known = await read(`/budgets/${body.id}`);
    return known.state === 'exceeded' && known;
  });
  return { budget, spender, labels };
}

const raise = ({ id }: { readonly id: string }) =>
  person.api.patch(`/budgets/${id}`, { limit: { llm_calls: 10 } });

const reasonOf = ({ name, resets_at: at }: any) => `the agent's budget "${name}" is used up until ${at}`;

describe('A queued run of an agent whose budget is used up', () => {
  it.each(['pause', 'stop'])('waits and says why, by itself and in lists: %s', async (action) => {
    const { budget, spender } = await usedUp(`waiting-${action}`, action);
    const { id } = await ask(person, spender);
    const { body: listed } = await person.api.get(`/runs?agent_id=${spender.id}`);
    const reason = reasonOf(budget);
    expect([(await readRun(person, id)).waiting_reason, listed[0].waiting_reason]).toEqual([reason, reason]);
  });

  it('is taken when the budget only notifies', async () => {
    const { spender } = await usedUp('told', 'notify');
    const { id } = await ask(person, spender);
    expect(await claim(spender)).toMatchObject([{ run_id: id }]);
  });

  it('is not given to an agent that comes to the budget later, and its claims cost no statement', async () => {
    const { budget, labels } = await usedUp('late', 'pause');
    const late = await createWorker(app, person);
    const { id } = await ask(person, late);
    expect((await person.api.patch(`/agents/${late.id}`, { labels })).status).toBe(200);
    expect(await claim(late)).toEqual([]);
    expect(await readRun(person, id)).toMatchObject({ waiting_reason: reasonOf(budget) });
    await until(async () => (await statementsOf(app, () => claim(late))).length === 0);
    const waiting = claim(late, { wait: 20 });
    expect((await raise(budget)).body).toMatchObject({ state: 'ok' });
    expect(await waiting).toMatchObject([{ run_id: id }]);
  });

  it('is given by a claim that waits when the budget is removed, or only notifies from now on', async () => {
    for (const [team, release] of [
      ['removed', ({ id }) => person.api.delete(`/budgets/${id}`)],
      ['milder', ({ id }) => person.api.patch(`/budgets/${id}`, { on_exceeded: 'notify' })],
    ] as [string, (budget: { id: string }) => Promise<unknown>][]) {
      const { budget, labels } = await usedUp(team, 'pause');
      const late = await createWorker(app, person, { labels });
      const { id } = await ask(person, late);
      const waiting = claim(late, { wait: 20 });
      await release(budget);
      expect(await waiting).toMatchObject([{ run_id: id }]);
    }
  });
});

describe('A deploy of an agent whose budget is used up', () => {
  it('is refused where the budget stops its agents, and says until when', async () => {
    const { budget, spender, labels } = await usedUp('stopped', 'stop');
    const late = await createWorker(app, person);
    await person.api.patch(`/agents/${late.id}`, { labels });
    for (const { id } of [spender, late]) {
      const reply = await person.api.post(`/agents/${id}/deploy`);
      expectError(reply, 400);
      expect(reply.body).toMatchObject({ code: 'budget_exceeded' });
      expect(reply.body.message).toContain(budget.resets_at);
    }
    await raise(budget);
    await deploy(person, spender);
  });

  it('is recorded where the budget pauses them, and begins when that ends', async () => {
    const { budget, spender } = await usedUp('recorded', 'pause');
    await until(async () => (await read(`/agents/${spender.id}`)).paused !== null);
    expect(await obey(spender)).toEqual(['scale']);
    await deploy(person, spender);
    expect(await obey(spender)).toEqual([]);
    await raise(budget);
    await until(async () => (await obey(spender)).includes('deploy'));
  });
});
