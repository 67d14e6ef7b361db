import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun } from './builders/runs.js';
import { exportSpans, llmSpan, toolSpan } from './builders/traces.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
  person = await registerPerson(app);
});

afterAll(() => app.close());

const read = async (path: string): Promise<any> => (await person.api.get(path)).body;

async function createBudget(body: object): Promise<any> {
  const reply = await person.api.post('/budgets', { name: 'a budget', period: 'day', ...body });
  expect(reply.status).toBe(201);
  return reply.body;
}

/** Waits until a budget is in a state. */
const becomes = (id: string, state: string) =>
  until(async () => (await read(`/budgets/${id}`)).state === state);

describe('A budget', () => {
  it('has its spending in its period, in its own measure', async () => {
    const agent = await createAgent(app, person);
    const scope = { agent_id: agent.id, period: 'month', timezone: 'Europe/Berlin' };
    const [usd, tokens, calls, tools] = await Promise.all([
      createBudget({ ...scope, limit: { usd: 2.5 } }),
      createBudget({ ...scope, limit: { tokens: 10_000_000 } }),
      createBudget({ ...scope, limit: { llm_calls: 5 } }),
      createBudget({ ...scope, limit: { tool_calls: 10 } }),
    ]);
    expect(usd).toMatchObject({
      state: 'ok',
      spent: { usd: '0.000000' },
      limit: { usd: '2.500000' },
      warn_at: 0.8,
    });
    await exportSpans(agent, [llmSpan({ input: 1_000_000, output: 0 }), toolSpan()]);
    await becomes(usd.id, 'exceeded');
    await until(async () => (await read(`/budgets/${tools.id}`)).spent.tool_calls === 1);
    await until(async () => (await read(`/budgets/${calls.id}`)).spent.llm_calls === 1);
    await until(async () => (await read(`/budgets/${tokens.id}`)).spent.tokens > 0);
    expect(await read(`/budgets/${usd.id}`)).toMatchObject({ spent: { usd: '2.500000' } });
    expect(await read(`/budgets/${tokens.id}`)).toMatchObject({ state: 'ok', spent: { tokens: 1_000_000 } });
    expect(await read(`/budgets/${calls.id}`)).toMatchObject({ spent: { llm_calls: 1 } });
    expect(await read(`/budgets/${tools.id}`)).toMatchObject({ spent: { tool_calls: 1 } });
  });

  it('warns once and is exceeded once, by webhook and in the audit log', async () => {
    const receiver = await WebhookReceiver.start();
    const own = await registerPerson(app);
    await createWebhook(own, receiver.url, { events: ['budget.*'] });
    const agent = await createAgent(app, own);
    const reply = await own.api.post('/budgets', { name: 'calls', period: 'day', limit: { llm_calls: 4 } });
    const state = async () => (await own.api.get(`/budgets/${reply.body.id}`)).body.state;
    await exportSpans(agent, [llmSpan(), llmSpan(), llmSpan()]);
    expect(await state()).toBe('ok');
    await own.api.patch(`/budgets/${reply.body.id}`, { warn_at: 0.5 });
    expect(await state()).toBe('warning');
    await exportSpans(agent, [llmSpan()]);
    await until(async () => (await state()) === 'exceeded');
    await exportSpans(agent, [llmSpan()]);
    await until(() => receiver.received.length >= 2);
    const kinds = receiver.received.map(({ body }) => JSON.parse(body.toString()).type);
    expect(kinds).toEqual(['budget.warning', 'budget.exceeded']);
    const { body: audited } = await own.api.get(`/audit?target_id=${reply.body.id}`);
    const actions = audited.map(({ action }: any) => action).sort();
    expect(actions).toEqual(['budget.create', 'budget.exceed', 'budget.update', 'budget.warn']);
    await receiver.close();
  });

  it('pauses its agents when it is exceeded, and resumes them, and only them, when its limit is raised', async () => {
    const label = { team: 'spenders' };
    const spender = await createWorker(app, person, { labels: label });
    const other = await createWorker(app, person, { labels: label });
    const stranger = await createWorker(app, person);
    const budget = await createBudget({
      label: 'team:spenders',
      limit: { llm_calls: 2 },
      on_exceeded: 'pause',
    });
    await exportSpans(spender, [llmSpan(), llmSpan(), llmSpan()]);
    const pausedOf = async ({ id }: { id: string }) => (await read(`/agents/${id}`)).paused;
    await until(async () => (await pausedOf(spender)) !== null && (await pausedOf(other)) !== null);
    expect(await pausedOf(spender)).toMatchObject({
      by: 'budget',
      reason: expect.stringContaining('2 llm calls') as string,
    });
    expect(await pausedOf(stranger)).toBeNull();
    expect((await read(`/budgets/${budget.id}`)).pause_id).toEqual((await pausedOf(spender)).pause_id);
    const raised = await person.api.patch(`/budgets/${budget.id}`, { limit: { llm_calls: 10 } });
    expect(raised.body).toMatchObject({ state: 'ok', pause_id: null });
    await until(async () => (await pausedOf(spender)) === null && (await pausedOf(other)) === null);
  });

  it('pauses after a change to pause, also an agent that joins later, and resumes after a change back', async () => {
    const labels = { team: 'late' };
    const spender = await createWorker(app, person, { labels });
    const budget = await createBudget({ label: 'team:late', limit: { llm_calls: 1 } });
    await exportSpans(spender, [llmSpan()]);
    await becomes(budget.id, 'exceeded');
    const isPaused = async ({ id }: { id: string }) => (await read(`/agents/${id}`)).paused !== null;
    expect(await isPaused(spender)).toBe(false);
    await person.api.patch(`/budgets/${budget.id}`, { on_exceeded: 'pause' });
    await until(() => isPaused(spender));
    const late = await createWorker(app, person, { labels });
    await until(() => app.app.get(PeriodicJobs).runOnce('budgets'));
    await until(() => isPaused(late));
    await person.api.patch(`/budgets/${budget.id}`, { on_exceeded: 'notify' });
    await until(async () => !(await isPaused(spender)) && !(await isPaused(late)));
  });

  it('resumes its agents when it is deleted', async () => {
    const spender = await createWorker(app, person);
    const budget = await createBudget({
      agent_id: spender.id,
      limit: { llm_calls: 1 },
      on_exceeded: 'pause',
    });
    await exportSpans(spender, [llmSpan()]);
    await until(async () => (await read(`/agents/${spender.id}`)).paused !== null);
    expect((await person.api.delete(`/budgets/${budget.id}`)).status).toBe(204);
    await until(async () => (await read(`/agents/${spender.id}`)).paused === null);
  });

  it('stops its agents if it has the action stop', async () => {
    const spender = await createWorker(app, person);
    await createBudget({ agent_id: spender.id, limit: { llm_calls: 1 }, on_exceeded: 'stop' });
    await exportSpans(spender, [llmSpan()]);
    await until(async () => (await read(`/deployments/${spender.deploymentId}`)).status === 'stopped');
    expect(await read(`/deployments/${spender.deploymentId}`)).toMatchObject({ status_source: 'monitor' });
  });

  it('cancels a run past the limit for each run, and no other run', async () => {
    const worker = await createWorker(app, person);
    const [one, other] = [await ask(person, worker), await ask(person, worker)];
    await claim(worker, { limit: 2 });
    const budget = await createBudget({
      agent_id: worker.id,
      period: 'run',
      limit: { llm_calls: 2 },
      on_exceeded: 'pause',
    });
    const ofRun = { 'agent_control_plane.run_id': one.id };
    await exportSpans(worker, [llmSpan({ attributes: ofRun }), llmSpan({ attributes: ofRun })]);
    await until(async () => (await readRun(person, one.id)).cancel_requested_at !== null);
    expect(await readRun(person, other.id)).toMatchObject({ status: 'running', cancel_requested_at: null });
    expect(await read(`/budgets/${budget.id}`)).toMatchObject({ state: 'exceeded', spent: { llm_calls: 2 } });
    expect(await read(`/agents/${worker.id}`)).toMatchObject({ paused: null });
  });
});

describe('A request for a budget', () => {
  it.each<[string, object]>([
    ['limit must have exactly one of usd, tokens, llm_calls, tool_calls, minutes', { limit: {} }],
    [
      'limit must have exactly one of usd, tokens, llm_calls, tool_calls, minutes',
      { limit: { usd: 1, tokens: 1 } },
    ],
    ['label must be key:value', { label: 'team' }],
    ['timezone must be the name of a time zone, such as "Europe/Berlin" or "UTC"', { timezone: '+02:00' }],
  ])('is refused: %s', async (message, body) => {
    const reply = await person.api.post('/budgets', { name: 'x', period: 'day', limit: { usd: 1 }, ...body });
    expectError(reply, 422);
    expect(reply.body.message).toContain(message);
  });

  it('may change nothing', async () => {
    const budget = await createBudget({ limit: { minutes: 1.5 } });
    const reply = await person.api.patch(`/budgets/${budget.id}`, {});
    expect([reply.status, reply.body.limit]).toEqual([200, { minutes: 1.5 }]);
  });

  it.each([
    { usd: 0.0000001 },
    { usd: 0 },
    { tokens: 0.4 },
    { llm_calls: 0 },
    { tool_calls: 0.9 },
    { minutes: 0.001 },
  ])('may not be less than the smallest amount that is counted: %j', async (limit) => {
    const reply = await person.api.post('/budgets', { name: 'none', period: 'day', limit });
    expectError(reply, 422, /^limit\.\w+ must be a number from/);
  });

  it('may not name an agent and a label', async () => {
    const { id } = await createAgent(app, person);
    const body = { name: 'x', period: 'day', limit: { usd: 1 }, agent_id: id, label: 'a:b' };
    expectError(await person.api.post('/budgets', body), 422);
  });

  it('is an owner’s right', async () => {
    const stranger = await registerPerson(app);
    const { id } = await createAgent(app, person);
    const body = { name: 'x', period: 'day', limit: { usd: 1 }, agent_id: id };
    expectError(await stranger.api.post('/budgets', body), 404);
  });
});

describe("A budget's warning and its exceeding", () => {
  it('are in the timeline of each agent that it limits, and of no other', async () => {
    const labels = { purpose: 'timeline' };
    const [agent, other] = [await createAgent(app, person, { labels }), await createAgent(app, person)];
    const limit = { tokens: 1_000 };
    const ofAgent = await createBudget({ name: 'its own', agent_id: agent.id, limit });
    const ofLabel = await createBudget({ name: 'of all with the label', label: 'purpose:timeline', limit });
    await createBudget({ agent_id: other.id, limit });
    await exportSpans(agent, [llmSpan({ input: 900, output: 0 })]);
    await becomes(ofAgent.id, 'warning');
    await becomes(ofLabel.id, 'warning');
    await exportSpans(agent, [llmSpan({ input: 200, output: 0 })]);
    await becomes(ofAgent.id, 'exceeded');
    await becomes(ofLabel.id, 'exceeded');

    const { items } = await read(`/agents/${agent.id}/timeline`);
    const told = items.filter(({ kind }: { kind: string }) => kind === 'budget');
    const entry = (event: string, { id, name }: { id: string; name: string }) =>
      expect.objectContaining({ event, id, title: name, actor: null });
    expect(told).toHaveLength(4);
    expect(told).toEqual(
      expect.arrayContaining(
        [ofAgent, ofLabel].flatMap((budget) => [entry('exceeded', budget), entry('warning', budget)]),
      ),
    );
    const ofOther = (await read(`/agents/${other.id}/timeline`)).items;
    expect(ofOther.map(({ kind }: { kind: string }) => kind)).not.toContain('budget');
  });
});
