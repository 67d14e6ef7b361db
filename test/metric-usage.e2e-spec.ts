import { readFileSync } from 'node:fs';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun } from './builders/runs.js';
import { pointTime, tokenUsage } from './builders/token-metrics.js';
import { exportSpans, llmSpan, newTraceId } from './builders/traces.js';
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

async function send(body: object): Promise<void> {
  const reply = await worker.runtime.post('/otlp/v1/metrics', body);
  expect([reply.status, reply.body]).toEqual([200, {}]);
}
const total = async (): Promise<any> => (await person.api.get('/usage')).body.total;

describe('Usage in metrics', () => {
  it('is the difference of totals sent any number of times, by price', async () => {
    const first = tokenUsage([
      { tokens: 600_000, calls: 2, at: 120 },
      { type: 'output', tokens: 50, calls: 2, at: 120 },
    ]);
    const second = tokenUsage([
      { tokens: 1_000_000, calls: 3, at: 60 },
      { type: 'output', tokens: 50, calls: 2, at: 60 },
    ]);
    for (const body of [first, first, second, first, second]) await send(body);
    expect(await total()).toMatchObject({
      input_tokens: 1_000_000,
      output_tokens: 50,
      llm_calls: 3,
      cost_usd: '2.500500',
      uncosted_calls: 0,
    });
  });

  it('continues from zero after a restart of the program', async () => {
    await send(tokenUsage([{ tokens: 100, calls: 1, at: 120 }]));
    await send(tokenUsage([{ tokens: 30, calls: 1, at: 60, begun: 90 }]));
    await send(tokenUsage([{ tokens: 70, calls: 2, at: 30, begun: 90 }]));
    expect(await total()).toMatchObject({ input_tokens: 170, llm_calls: 3 });
  });

  it('is counted once when two instances get the same totals at once', async () => {
    const body = tokenUsage([{ tokens: 100, calls: 1, at: 60 }]);
    const other = await startTestApp({ database: app.database });
    try {
      const there = other.api.as(worker.key);
      const replies = await Promise.all(
        [worker.runtime, there, worker.runtime, there].map((runtime) =>
          runtime.post('/otlp/v1/metrics', body),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    } finally {
      await other.close();
    }
    expect(await total()).toMatchObject({ input_tokens: 100, llm_calls: 1 });
  });

  it('is the sum of deltas, each once', async () => {
    const deltas = [120, 60].map((at) => tokenUsage([{ tokens: 100, calls: 1, at }], 1));
    for (const body of [deltas[0]!, deltas[1]!, deltas[1]!, deltas[0]!]) await send(body);
    expect(await total()).toMatchObject({ input_tokens: 200, llm_calls: 2 });
  });

  it('leaves out a total that began before series are remembered: it may have been counted', async () => {
    const eightDays = 8 * 86_400;
    await send(tokenUsage([{ tokens: 5_000, calls: 50, at: 120, begun: eightDays }]));
    await send(tokenUsage([{ tokens: 5_100, calls: 51, at: 60, begun: eightDays }]));
    expect(await total()).toMatchObject({ input_tokens: 100, llm_calls: 1 });
  });

  it("belongs to the run and the config version that the resource names, and to no other agent's", async () => {
    const { id } = await ask(person, worker);
    await claim(worker);
    const ofRun = { 'agent_control_plane.run_id': id };
    await send(tokenUsage([{ tokens: 7, calls: 1, at: 60 }], 2, ofRun));
    expect((await readRun(person, id)).usage).toMatchObject({ input_tokens: 7, llm_calls: 1 });
    const foreign = await createWorker(app, person);
    const { id: foreignRun } = await ask(person, foreign);
    const body = tokenUsage([{ tokens: 9, calls: 1, at: 60 }], 2, {
      'agent_control_plane.run_id': foreignRun,
    });
    expect((await worker.runtime.post('/otlp/v1/metrics', body)).body.partialSuccess).toBeDefined();
    expect(await total()).toMatchObject({ input_tokens: 7 });
  });

  it('counts before reports, and after spans', async () => {
    const report = () =>
      worker.runtime.post('/agents/usage', { usage: [{ model: 'gpt-4o', input_tokens: 100 }] });
    await report();
    await send(tokenUsage([{ tokens: 100, calls: 1, at: 60 }]));
    expect((await report()).body).toEqual({ accepted: 1, counted: 0 });
    expect(await total()).toMatchObject({ input_tokens: 100, llm_calls: 1 });
    const startedAt = Date.now() - 300_000;
    await exportSpans(worker, [llmSpan({ traceId: newTraceId(), input: 100, output: 0, startedAt })]);
    await send(tokenUsage([{ tokens: 250, calls: 2, at: 30 }]));
    expect(await total()).toMatchObject({ input_tokens: 100, llm_calls: 1 });
  });

  it('is not counted for a time into which its choice falls: spans have reported a part of it', async () => {
    const startedAt = pointTime(100).getTime();
    await exportSpans(worker, [llmSpan({ input: 100, output: 0, startedAt })]);
    await send(tokenUsage([{ tokens: 100, calls: 1, at: 60 }]));
    await person.api.patch(`/agents/${worker.id}`, { usage_from: 'metrics' });
    await app.database.query('UPDATE usage_choices SET since = $2 WHERE agent_id = $1', [
      worker.id,
      pointTime(45),
    ]);
    await send(tokenUsage([{ tokens: 150, calls: 2, at: 30 }]));
    expect(await total()).toMatchObject({ input_tokens: 100, llm_calls: 1 });
    await send(tokenUsage([{ tokens: 157, calls: 3, at: 15 }]));
    expect(await total()).toMatchObject({ input_tokens: 107, llm_calls: 2 });
  });

  it('fails no export of others when an agent is removed meanwhile', async () => {
    const other = await createWorker(app, person);
    const body = tokenUsage([{ tokens: 7, calls: 1, at: 60 }]);
    await whileHeld(app.database, `DELETE FROM agents WHERE id = '${worker.id}'`, async (release) => {
      const replies = [worker, other].map(({ runtime }) => runtime.post('/otlp/v1/metrics', body));
      await untilSomeoneWaits(app.database);
      await release();
      expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200]);
    });
    expect(await total()).toMatchObject({ input_tokens: 7 });
  });
});

describe('A counter that counts from the last point', () => {
  const COST = /^claude_code\.cost\.usage_usd_total\{/;

  it('rises by each point of a recorded export, as its chart shows', async () => {
    const recorded = readFileSync('test/otlp/dialects/claude-code/metrics-1.json', 'utf8');
    const begun = Math.floor(Date.now() / 60_000) * 60_000 - 300_000;
    for (const seconds of [10, 50, 70])
      await send(
        JSON.parse(recorded.replaceAll('1795694410000000000', `${begun + seconds * 1_000}000000`)) as object,
      );
    const [{ custom }] = (await person.api.get(`/agents/${worker.id}/metrics?limit=1`)).body;
    const cost = Object.keys(custom.metrics).find((name) => COST.test(name))!;
    expect(custom.metrics[cost]).toEqual({ sum: 0.176227, delta: true });
    const since = new Date(begun).toISOString();
    const { body } = await person.api.get(
      `/agents/${worker.id}/metrics/summary?since=${since}&bucket_seconds=60&q=cost`,
    );
    const point = { min: 0.176227, mean: 0.176227, max: 0.176227 };
    expect(body.buckets.map((bucket: any) => bucket.custom)).toEqual([
      { [cost]: { ...point, rise: 0.352454 } },
      { [cost]: { ...point, rise: 0.176227 } },
    ]);
  });
});
