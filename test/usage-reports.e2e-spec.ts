import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun } from './builders/runs.js';
import { exportSpans, llmSpan, newTraceId } from './builders/traces.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;
let worker: Awaited<ReturnType<typeof createWorker>>;

beforeAll(async () => {
  app = await startTestApp();
});

beforeEach(async () => {
  person = await registerPerson(app);
  worker = await createWorker(app, person);
});

afterAll(() => app.close());

const report = (usage: readonly unknown[], key?: string) =>
  worker.runtime.post(
    '/agents/usage',
    { usage },
    key === undefined ? {} : { headers: { 'Idempotency-Key': key } },
  );
const total = async (): Promise<any> => (await person.api.get('/usage')).body.total;

describe('POST /agents/usage', () => {
  it('counts tokens, calls and cost: as it says, by price, or as unknown', async () => {
    const { status, body } = await report([
      { model: 'gpt-4o', provider: 'openai', input_tokens: 1_000_000 },
      { model: 'home-made', output_tokens: 30, reasoning_tokens: 20, cost_usd: '0.000001', llm_calls: 2 },
      { model: 'unknown', cache_read_tokens: 5, cache_write_tokens: 6, tool_calls: 3, tool_errors: 1 },
      { model: 'home-made', cost_usd: 0.1 },
    ]);
    expect([status, body]).toEqual([200, { accepted: 4, counted: 4 }]);
    expect(await total()).toEqual({
      input_tokens: 1_000_000,
      cache_read_tokens: 5,
      cache_write_tokens: 6,
      output_tokens: 30,
      reasoning_tokens: 20,
      llm_calls: 5,
      tool_calls: 3,
      tool_errors: 1,
      cost_usd: '2.600001',
      uncosted_calls: 1,
    });
  });

  it('sums up more tokens than 32 bits can count', async () => {
    const { id } = await ask(person, worker);
    await claim(worker);
    const entry = { model: 'gpt-4o', run_id: id, input_tokens: 1_000_000_000 };
    expect((await report([entry, entry, entry])).body).toEqual({ accepted: 3, counted: 3 });
    expect((await total()).input_tokens).toBe(3_000_000_000);
    expect((await readRun(person, id)).usage).toMatchObject({ input_tokens: 3_000_000_000 });
  });

  it("belongs to the agent's run and its config version, or to the version that the agent runs", async () => {
    const { id } = await ask(person, worker);
    await claim(worker);
    await report([
      { model: 'gpt-4o', run_id: id, input_tokens: 7 },
      { model: 'gpt-4o', input_tokens: 5 },
    ]);
    expect((await readRun(person, id)).usage).toMatchObject({ input_tokens: 7, llm_calls: 1 });
    const { rows } = (await person.api.get('/usage?group_by=config_version')).body;
    expect(rows).toMatchObject([{ agent_id: worker.id, config_version: 1, input_tokens: 12 }]);
  });

  it('is listed for one run by model, to readers of the run', async () => {
    const { id } = await ask(person, worker);
    await claim(worker);
    await report([
      { model: 'gpt-4o', run_id: id, input_tokens: 7, cost_usd: '0.5' },
      { model: 'gpt-4o-mini', run_id: id, input_tokens: 3, cost_usd: '0.25' },
      { model: 'gpt-4o', input_tokens: 5 },
    ]);
    const path = `/usage?run_id=${id}&group_by=model`;
    const { rows, total: sum } = (await person.api.get(path)).body;
    expect(rows).toMatchObject([
      { model: 'gpt-4o', input_tokens: 7, cost_usd: '0.500000' },
      { model: 'gpt-4o-mini', input_tokens: 3, cost_usd: '0.250000' },
    ]);
    expect(sum).toEqual((await readRun(person, id)).usage);
    expect((await person.api.get(`/usage?run_id=${id}&agent_id=${id}`)).body.rows).toEqual([]);
    const stranger = await registerPerson(app);
    expect((await stranger.api.get(path)).body.rows).toEqual([]);
  });

  it('refuses to group the usage of a run by properties of the run', async () => {
    const { id } = await ask(person, worker);
    const { status, body } = await person.api.get(`/usage?run_id=${id}&group_by=agent`);
    expect([status, body.message]).toEqual([422, ['group_by must be model, day, hour with run_id']]);
  });

  it('ignores entries that break a rule or belong to another agent, and says so', async () => {
    const other = await createAgent(app, person);
    const { id: foreign } = await ask(person, other);
    const { body } = await report([
      { model: '' },
      { model: 'm', input_tokens: -1 },
      { model: 'm', output_tokens: 1_000_000_001 },
      { model: 'm', cost_usd: '1e3' },
      { model: 'm', cost_usd: 1_000_001 },
      { model: 'm', run_id: foreign },
      'nonsense',
      { model: 'm' },
    ]);
    expect([body.accepted, body.refused.map(({ field }: any) => field)]).toEqual([
      1,
      [
        'usage.0.model',
        'usage.1.input_tokens',
        'usage.2.output_tokens',
        'usage.3.cost_usd',
        'usage.4.cost_usd',
        'usage.6',
        'usage',
      ],
    ]);
    expect(await total()).toMatchObject({ llm_calls: 1 });
    expect((await report(Array.from({ length: 501 }, () => ({ model: 'm' })))).status).toBe(422);
  });

  it('counts once under a key, although it comes eight times at once', async () => {
    const usage = [{ model: 'm', input_tokens: 3 }];
    const replies = await Promise.all(Array.from({ length: 8 }, () => report(usage, 'once')));
    const taken = replies.filter(({ status }) => status === 200);
    expect(new Set(taken.map(({ body }) => JSON.stringify(body)))).toEqual(
      new Set([JSON.stringify({ accepted: 1, counted: 1 })]),
    );
    expect(replies.every(({ status }) => [200, 409].includes(status))).toBe(true);
    expect((await report(usage, 'once')).headers.get('idempotency-replayed')).toBe('true');
    expect((await report([{ model: 'n' }], 'once')).status).toBe(422);
    expect(await total()).toMatchObject({ input_tokens: 3, llm_calls: 1 });
  });

  it('is not counted next to spans of the same model in any order', async () => {
    const before = { model: 'gpt-4o', input_tokens: 100 };
    expect((await report([before])).body).toEqual({ accepted: 1, counted: 1 });
    await exportSpans(worker, [
      llmSpan({ traceId: newTraceId(), input: 100, output: 0, startedAt: Date.now() - 60_000 }),
    ]);
    const later = await report([before, { model: 'other', input_tokens: 1 }]);
    expect(later.body).toEqual({ accepted: 2, counted: 1 });
    expect(await total()).toMatchObject({ input_tokens: 101, llm_calls: 2 });
  });

  it('is counted next to spans without tokens, and stays counted at any time of a span', async () => {
    const call = { model: 'gpt-4o', input_tokens: 100 };
    await report([{ ...call, timestamp: new Date(Date.now() - 3 * 86_400_000).toISOString() }]);
    const silent = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' };
    await exportSpans(worker, [{ attributes: silent }]);
    expect((await report([call])).body).toEqual({ accepted: 1, counted: 1 });
    await exportSpans(worker, [llmSpan({ input: 7, output: 0, startedAt: 1_000 })]);
    const since = new Date(Date.now() - 5 * 86_400_000).toISOString();
    const { body } = await person.api.get(`/usage?group_by=agent&since=${since}`);
    expect(body.total.input_tokens).toBe(100);
  });

  it('has the reported time', async () => {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    await report([
      { model: 'm', timestamp: yesterday },
      { model: 'm', timestamp: '2999-01-01' },
    ]);
    const { rows } = (await person.api.get('/usage?group_by=day')).body;
    const today = new Date().toISOString().slice(0, 10);
    expect(rows.map(({ day }: any) => day)).toEqual([yesterday.slice(0, 10), today]);
  });
});
