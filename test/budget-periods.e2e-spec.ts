import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { exportSpans, llmSpan } from './builders/traces.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const HOUR_MS = 3_600_000;

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

describe('The period of a budget', () => {
  it('includes reports of a fast clock about the next one, and the next one does not', async () => {
    const agent = await createAgent(app, person);
    const budget = await createBudget({ agent_id: agent.id, period: 'hour', limit: { llm_calls: 100 } });
    const nextHour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
    await exportSpans(agent, [llmSpan({ startedAt: nextHour + 300_000 })]);
    await until(async () => (await read(`/budgets/${budget.id}`)).spent.llm_calls === 1);
    const usage = await read(`/usage?group_by=hour&agent_id=${agent.id}`);
    expect(usage.rows).toMatchObject([{ llm_calls: 1 }]);
  });
});
