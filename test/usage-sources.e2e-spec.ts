import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun } from './builders/runs.js';
import { exportSpans, llmSpan } from './builders/traces.js';
import { untilSomeoneWaits, whileHeld } from './harness/held-lock.js';
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

const HOUR_MS = 3_600_000;
const MODEL = 'gpt-4o';

async function report(usage: readonly object[]): Promise<any> {
  const { status, body } = await worker.runtime.post('/agents/usage', {
    usage: usage.map((entry) => ({ model: MODEL, ...entry })),
  });
  expect(status).toBe(200);
  return body;
}
const spans = (...calls: readonly { input: number; at?: number; model?: string; run?: string }[]) =>
  exportSpans(
    worker,
    calls.map(({ input, at, model = MODEL, run }) =>
      llmSpan({
        input,
        model,
        output: 0,
        ...(at !== undefined && { startedAt: at }),
        ...(run !== undefined && { attributes: { 'agent_control_plane.run_id': run } }),
      }),
    ),
  );
const iso = (time: number) => new Date(time).toISOString();
const rowsOf = async (query: string): Promise<any[]> => (await person.api.get(`/usage?${query}`)).body.rows;
async function inputOf(model = MODEL): Promise<number> {
  const rows = await rowsOf(`group_by=model&agent_id=${worker.id}`);
  // Usage of projects and of weeks is counted by itself.
  const ofAll = await rowsOf('group_by=model');
  const ofWeeks = (await rowsOf('group_by=agent')).find((row) => row.agent_id === worker.id);
  expect(ofWeeks?.input_tokens ?? 0).toBe(rows.reduce((sum, row) => sum + row.input_tokens, 0));
  const tokens = (all: any[]) => all.find((row) => row.model === model)?.input_tokens ?? 0;
  expect(tokens(ofAll)).toBe(tokens(rows));
  return tokens(rows);
}
const choose = async (usage_from: string | null) => {
  const { status, body } = await person.api.patch(`/agents/${worker.id}`, { usage_from });
  expect(status).toBe(200);
  return body.usage_from;
};
/** The beginning of an hour of today or yesterday. */
const hoursAgo = (hours: number) => Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS;

describe('A better source that appears', () => {
  it('takes the place of a lesser one in an earlier hour, too, when its spans come late', async () => {
    const [early, late] = [hoursAgo(3) + 60_000, hoursAgo(1) + 60_000];
    await report([
      { input_tokens: 100, timestamp: iso(early) },
      { input_tokens: 10, timestamp: iso(late) },
    ]);
    await spans({ input: 11, at: late });
    expect(await inputOf()).toBe(111);
    await spans({ input: 101, at: early });
    expect(await inputOf()).toBe(112);
    await report([{ input_tokens: 1_000, timestamp: iso(early) }]);
    expect(await inputOf()).toBe(112);
  });

  it('is not counted next to a lesser one in hours that were counted more than a day ago', async () => {
    const old = Date.now() - 3 * 24 * HOUR_MS;
    await report([{ input_tokens: 100, timestamp: iso(old) }]);
    await spans({ input: 1, at: Date.now() - 1_000 });
    await spans({ input: 99, at: old });
    expect(await inputOf()).toBe(101);
  });

  it('counts once in a run, although the lesser one reported it first', async () => {
    const { id } = await ask(person, worker);
    await claim(worker);
    const at = Date.now() - 1_000;
    await report([{ input_tokens: 100, run_id: id, timestamp: iso(at) }]);
    await spans({ input: 7, at: at - HOUR_MS });
    expect((await readRun(person, id)).usage).toBeNull();
    await spans({ input: 100, at, run: id });
    expect((await readRun(person, id)).usage).toMatchObject({ input_tokens: 100, llm_calls: 1 });
    expect(await inputOf()).toBe(107);
  });
});

describe('usage_from of an agent', () => {
  it('is auto unless something else is chosen, and is shown with each model', async () => {
    const made = await person.api.post('/agents', { usage_from: 'reports' });
    expect([made.status, made.body.usage_from]).toEqual([201, 'reports']);
    const { body } = await person.api.get(`/agents/${worker.id}`);
    expect(body.usage_from).toBe('auto');
    await report([{ input_tokens: 1 }, { model: 'own', input_tokens: 1 }]);
    await spans({ input: 1 });
    const sources = async () =>
      Object.fromEntries(
        (await rowsOf(`group_by=model&agent_id=${worker.id}`)).map((row) => [row.model, row.usage_from]),
      );
    expect(await sources()).toEqual({ [MODEL]: 'spans', own: 'reports' });
    expect(await choose('metrics')).toBe('metrics');
    expect(await sources()).toEqual({ [MODEL]: 'metrics', own: 'metrics' });
    expect(await choose(null)).toBe('auto');
    expect((await rowsOf('group_by=model'))[0]).not.toHaveProperty('usage_from');
    expect((await person.api.patch(`/agents/${worker.id}`, { usage_from: 'logs' })).status).toBe(422);
  });

  it('applies to calls from the change on; earlier counts stay, and late reports count for their own time', async () => {
    const before = Date.now() - 2_000;
    await spans({ input: 100, at: before });
    await report([{ input_tokens: 100, timestamp: iso(before) }]);
    await choose('reports');
    expect(await inputOf()).toBe(100);
    expect(await report([{ input_tokens: 10 }])).toMatchObject({ accepted: 1, counted: 1 });
    await spans({ input: 10, at: Date.now() });
    expect(await inputOf()).toBe(110);
    await report([{ input_tokens: 5, timestamp: iso(before) }]);
    await spans({ input: 5, at: before });
    expect(await inputOf()).toBe(115);
    await choose('auto');
    await report([{ input_tokens: 1 }]);
    await spans({ input: 1, at: Date.now() });
    expect(await inputOf()).toBe(116);
  });

  it('reverts nothing of the earlier choice, when it is auto again', async () => {
    await choose('reports');
    const { id } = await ask(person, worker);
    await claim(worker);
    await report([{ input_tokens: 100, run_id: id }]);
    await choose('auto');
    await report([{ input_tokens: 10, run_id: id }]);
    // Its first span comes in an hour that the reports have covered.
    await spans({ input: 10, at: Date.now(), run: id });
    expect([await inputOf(), (await readRun(person, id)).usage]).toMatchObject([110, { input_tokens: 110 }]);
  });

  it('counts the source that was reported meanwhile as soon as it is auto again', async () => {
    await report([{ input_tokens: 100 }]);
    await choose('reports');
    await spans({ input: 50, at: Date.now() });
    expect(await inputOf()).toBe(100);
    await choose('auto');
    await spans({ input: 7, at: Date.now() });
    expect(await report([{ input_tokens: 7 }])).toMatchObject({ counted: 0 });
    expect(await inputOf()).toBe(107);
  });
});

describe('The models of an agent', () => {
  it('are counted by name up to 200; more are counted together as other, and the reply says so', async () => {
    const names = Array.from({ length: 205 }, (_, index) => `model-${index}`);
    const first = await report(names.slice(0, 199).map((model) => ({ model, input_tokens: 1 })));
    expect(first).toEqual({ accepted: 199, counted: 199 });
    const more = names.slice(199).map((model) => ({ model, input_tokens: 1 }));
    expect(await report(more)).toEqual({ accepted: 6, counted: 6, counted_as_other: 5 });
    expect(await report(more)).toMatchObject({ counted: 6, counted_as_other: 5 });
    expect(await inputOf('other')).toBe(10);
    await spans({ input: 3, model: 'model-1000' });
    expect(await inputOf('other')).toBe(3);
    await exportSpans(worker, [
      { attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'silent' } },
    ]);
    expect(await rowsOf(`group_by=model&agent_id=${worker.id}`)).toHaveLength(201);
  });

  it('cost what their own names cost, although they are counted as other', async () => {
    await report(Array.from({ length: 200 }, (_, index) => ({ model: `model-${index}` })));
    await report([{ model: MODEL, input_tokens: 1_000_000 }]);
    const [costly] = await rowsOf(`group_by=model&agent_id=${worker.id}`);
    expect(costly).toMatchObject({ model: 'other', cost_usd: '2.500000', uncosted_calls: 0 });
  });
});

describe('An agent whose removal ends while its usage is counted', () => {
  it('fails no report of it, nor of others in the same group', async () => {
    const other = await createAgent(app, person);
    await whileHeld(app.database, `DELETE FROM agents WHERE id = '${worker.id}'`, async (release) => {
      const replies = [worker, other].map(({ runtime }) =>
        runtime.post('/agents/usage', { usage: [{ model: 'm', input_tokens: 7 }] }),
      );
      await untilSomeoneWaits(app.database);
      await release();
      expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200]);
    });
    const { body } = await person.api.get('/usage');
    expect(body.total).toMatchObject({ input_tokens: 14 });
  });

  it('has no run any more whose usage could be counted', async () => {
    const { id } = await ask(person, worker);
    await claim(worker);
    await whileHeld(app.database, `DELETE FROM runs WHERE id = '${id}'`, async (release) => {
      const reply = report([{ input_tokens: 7, run_id: id }]);
      await untilSomeoneWaits(app.database);
      await release();
      expect(await reply).toMatchObject({ counted: 1 });
    });
    expect(await inputOf()).toBe(7);
  });
});
