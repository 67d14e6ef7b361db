import { createAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { NARROW_QUOTA, useQuotaUp } from './builders/quotas.js';
import { createWorker } from './builders/runs.js';
import { storeUsage, type UsedHour } from './builders/usage.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: NARROW_QUOTA });
});

beforeEach(async () => {
  person = await registerPerson(app);
});

afterAll(() => app.close());

const spending = async (query = '', who = person): Promise<any> => {
  const { status, body } = await who.api.get(`/overview${query}`);
  expect(status).toBe(200);
  return body.spending;
};
/** Times that are in this month, and today or not, whatever the day of the test. */
async function moments(): Promise<Record<'today' | 'month' | 'before', string>> {
  const [row] = await app.database.query<any>(
    `SELECT date_trunc('day', now(), 'UTC') AS today, date_trunc('month', now(), 'UTC') AS month,
       date_trunc('month', now(), 'UTC') - interval '1 second' AS before`,
  );
  return row;
}

describe('The spending in the overview', () => {
  it("has today's counted usage, within this month", async () => {
    const worker = await createWorker(app, person);
    await worker.runtime.post('/agents/usage', {
      usage: [
        { model: 'home-made', input_tokens: 7, output_tokens: 3, cost_usd: '0.25' },
        { model: 'unknown', input_tokens: 5 },
      ],
    });
    const counted = {
      input_tokens: 12,
      output_tokens: 3,
      llm_calls: 2,
      cost_usd: '0.250000',
      uncosted_calls: 1,
    };
    expect(await spending()).toMatchObject({ today: counted, this_month: counted });
  });

  it('begins with the day and the month, in UTC', async () => {
    const { id } = await createAgent(app, person);
    const { today, month, before } = await moments();
    const used = (at: string, calls: number): UsedHour => ({
      project_id: person.id,
      agent_id: id,
      at,
      llm_calls: calls,
    });
    await storeUsage(app, [used(today, 1), used(month, 10), used(before, 100)]);
    const isFirst = today === month;
    expect(await spending()).toMatchObject({
      today: { llm_calls: isFirst ? 11 : 1 },
      this_month: { llm_calls: 11 },
    });
  });

  it("covers the caller's projects, or the named one; an operator may name any", async () => {
    const project = await createProject(person);
    const { today: at } = await moments();
    const agent_id = (await createAgent(app, person)).id;
    await storeUsage(app, [
      { project_id: person.id, agent_id, at, llm_calls: 1 },
      { project_id: project, agent_id, at, llm_calls: 2 },
    ]);
    expect((await spending()).today.llm_calls).toBe(3);
    expect((await spending(`?project_id=${project}`)).today.llm_calls).toBe(2);
    expect((await spending('', await registerPerson(app))).this_month.llm_calls).toBe(0);
    const operator = await registerOperator(app);
    expect((await spending('', operator)).today.llm_calls).toBe(0);
    expect((await spending(`?project_id=${project}`, operator)).today.llm_calls).toBe(2);
  });
});

describe('The limits in the overview', () => {
  it('are the budgets that warn or are exceeded, those furthest past their limits first', async () => {
    const { id } = await createAgent(app, person);
    await storeUsage(app, [
      { project_id: person.id, agent_id: id, at: (await moments()).today, llm_calls: 9 },
    ]);
    for (const llm_calls of [5, 10, 1_000])
      await person.api.post('/budgets', {
        name: `of ${llm_calls}`,
        period: 'month',
        limit: { llm_calls },
        on_exceeded: 'notify',
      });
    const { body } = await person.api.get('/overview');
    expect(body.strained_budget_count).toBe(2);
    expect(body.strained_budgets).toMatchObject([
      { name: 'of 5', state: 'exceeded', spent: { llm_calls: 9 } },
      { name: 'of 10', state: 'warning' },
    ]);
  });

  it('are the used-up quotas, with their agents', async () => {
    const agent = await createAgent(app, person);
    await useQuotaUp(app, agent);
    const { body } = await person.api.get('/overview');
    expect(body).toMatchObject({
      exceeded_quota_count: 1,
      exceeded_quotas: [{ scope: 'agent', kind: 'metrics', agent_id: agent.id, project_id: person.id }],
    });
    const stranger = await registerPerson(app);
    expect((await stranger.api.get('/overview')).body.exceeded_quotas).toEqual([]);
  });
});
