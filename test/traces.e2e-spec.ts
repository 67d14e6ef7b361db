import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun, tell } from './builders/runs.js';
import {
  exportSpans,
  type ExportedSpan,
  llmSpan,
  newSpanId,
  newTraceId,
  toolSpan,
  traceExport,
} from './builders/traces.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

type Worker = Awaited<ReturnType<typeof createWorker>>;

/** An agent that has a run. */
async function startWorker() {
  const worker = await createWorker(app, person);
  const { id } = await ask(person, worker);
  const [run] = await claim(worker, { limit: 1 });
  const [, traceId] = String(run!.traceparent).split('-');
  return { worker, runId: id, traceId: traceId! };
}

const runsOf = async (worker: Worker): Promise<any[]> =>
  (await person.api.get(`/runs?agent_id=${worker.id}&source=trace`)).body;
const spansOf = async (runId: string): Promise<any[]> => (await person.api.get(`/runs/${runId}/spans`)).body;

describe('Spans of a run', () => {
  it('belong to the run that they name, with model, tool, tokens and cost', async () => {
    const { worker, runId } = await startWorker();
    const root = { traceId: newTraceId(), spanId: newSpanId(), name: 'answer' };
    const child = { traceId: root.traceId, parentSpanId: root.spanId };
    const resource = { 'agent_control_plane.run_id': runId };
    const spans = [root, llmSpan({ ...child, input: 1_000_000, output: 0 }), toolSpan(child)];
    await exportSpans(worker, spans, resource);
    const stored = await spansOf(runId);
    expect(stored.map(({ kind, model, tool }) => [kind, model, tool])).toEqual(
      expect.arrayContaining([
        ['other', null, null],
        ['llm', 'gpt-4o', null],
        ['tool', null, 'search'],
      ]),
    );
    expect(stored.find(({ kind }) => kind === 'llm')).toMatchObject({
      trace_id: root.traceId,
      parent_span_id: root.spanId,
      run_id: runId,
      agent_id: worker.id,
      deployment_id: worker.deploymentId,
      config_version: 1,
      duration_ms: 500,
      provider: 'openai',
      usage: { input_tokens: 1_000_000, output_tokens: 0, cost_usd: null },
    });
    // The public price of a million tokens of input.
    expect((await readRun(person, runId)).usage).toMatchObject({
      input_tokens: 1_000_000,
      llm_calls: 1,
      tool_calls: 1,
      tool_errors: 0,
      cost_usd: '2.500000',
      uncosted_calls: 0,
    });
  });

  it('belong to the run whose trace they continue', async () => {
    const { worker, runId, traceId } = await startWorker();
    await exportSpans(worker, [llmSpan({ traceId })]);
    expect(await spansOf(runId)).toMatchObject([{ trace_id: traceId, run_id: runId }]);
    expect(await runsOf(worker)).toEqual([]);
  });

  it('count once, although they are sent twice, in pieces, and by two requests at once', async () => {
    const { worker, runId, traceId } = await startWorker();
    const spans: ExportedSpan[] = Array.from({ length: 20 }, (_, index) =>
      llmSpan({ traceId, spanId: newSpanId(), startedAt: Date.now() - 5_000 + index }),
    );
    await exportSpans(worker, spans.slice(0, 12));
    await Promise.all([spans, spans.slice(5), spans.slice(0, 3)].map((part) => exportSpans(worker, part)));
    expect(await spansOf(runId)).toHaveLength(20);
    expect((await readRun(person, runId)).usage).toMatchObject({
      llm_calls: 20,
      input_tokens: 2_000,
      output_tokens: 200,
    });
  });

  it('count once where they are sent again by a program whose clock is an hour ahead', async () => {
    const { worker, runId, traceId } = await startWorker();
    const span = llmSpan({ traceId, spanId: newSpanId(), startedAt: Date.now() + 3_600_000 });
    await exportSpans(worker, [span]);
    await exportSpans(worker, [span]);
    expect((await readRun(person, runId)).usage).toMatchObject({ llm_calls: 1 });
  });

  it('report unknown amounts: a call without a price is counted as such', async () => {
    const { worker, runId, traceId } = await startWorker();
    await exportSpans(worker, [llmSpan({ traceId, model: 'home-made' })]);
    expect((await readRun(person, runId)).usage).toMatchObject({ cost_usd: '0.000000', uncosted_calls: 1 });
  });

  it('are refused in part where they name a run of another agent', async () => {
    const { worker, traceId } = await startWorker();
    const { runId: foreign } = await startWorker();
    const attributes = { 'agent_control_plane.run_id': foreign };
    const body = traceExport([llmSpan({ traceId, attributes }), llmSpan({ traceId })]);
    const reply = await worker.runtime.post('/otlp/v1/traces', body);
    expect(reply.status).toBe(200);
    expect(reply.body.partialSuccess).toEqual({
      rejectedSpans: '1',
      errorMessage: expect.stringContaining('must be a run of this agent') as string,
    });
    expect(await spansOf(foreign)).toEqual([]);
  });

  it('have attributes and events in the reply for one', async () => {
    const { worker, runId, traceId } = await startWorker();
    const spanId = newSpanId();
    await exportSpans(worker, [llmSpan({ traceId, spanId, attributes: { 'my.note': 'hello' } })]);
    const { status, body } = await person.api.get(`/runs/${runId}/spans/${spanId}`);
    expect([status, body.attributes]).toEqual([200, expect.objectContaining({ 'my.note': 'hello' })]);
    expect((await person.api.get(`/runs/${runId}/spans/${newSpanId()}`)).status).toBe(404);
    expect((await person.api.get(`/runs/${runId}/spans/nonsense`)).status).toBe(404);
  });

  it('are read on from the last one, to the end', async () => {
    const { worker, runId, traceId } = await startWorker();
    const startedAt = Date.now() - 60_000;
    // Several of one moment: their order must still be the same.
    const spans = Array.from({ length: 25 }, (_, index) =>
      llmSpan({ traceId, startedAt: startedAt + Math.floor(index / 5) }),
    );
    await exportSpans(worker, spans);
    const whole = (await spansOf(runId)).map(({ id }) => id);
    const walked: string[] = [];
    let path: string | undefined = `/runs/${runId}/spans?limit=10`;
    while (path !== undefined) {
      const { body, headers }: { body: any[]; headers: Headers } = await person.api.get(path);
      walked.push(...body.map(({ id }) => id));
      path = /^<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
    }
    expect([walked.length, walked]).toEqual([25, whole]);
    expect((await person.api.get(`/runs/${runId}/spans?after=${worker.id}`)).body).toEqual([]);
  });

  it('are hidden from all other people', async () => {
    const { runId } = await startWorker();
    const stranger = await registerPerson(app);
    expect((await stranger.api.get(`/runs/${runId}/spans`)).status).toBe(404);
  });
});

describe('A trace of no known run', () => {
  it('is a run, which its root ends', async () => {
    const worker = await createWorker(app, person);
    const root = { traceId: newTraceId(), spanId: newSpanId(), name: 'daily report' };
    await exportSpans(worker, [llmSpan({ traceId: root.traceId, parentSpanId: root.spanId })]);
    expect(await runsOf(worker)).toMatchObject([
      { status: 'running', source: 'trace', trace_id: root.traceId },
    ]);
    await exportSpans(worker, [root]);
    const [run] = await runsOf(worker);
    expect(run).toMatchObject({ status: 'succeeded', deployment_id: worker.deploymentId, config_version: 1 });
    expect(await spansOf(run.id)).toHaveLength(2);
  });

  it('has failed where its root has', async () => {
    const worker = await createWorker(app, person);
    await exportSpans(worker, [{ name: 'work', status: { code: 2, message: 'no answer' } }]);
    expect(await runsOf(worker)).toMatchObject([{ status: 'failed', name: 'work', error: 'no answer' }]);
  });

  it('is one run, although two exports of it arrive at once', async () => {
    const worker = await createWorker(app, person);
    const traceId = newTraceId();
    const parentSpanId = newSpanId();
    await Promise.all(
      Array.from({ length: 8 }, () => exportSpans(worker, [llmSpan({ traceId, parentSpanId })])),
    );
    const runs = await runsOf(worker);
    expect(runs).toHaveLength(1);
    expect(await spansOf(runs[0].id)).toHaveLength(8);
  });

  it('is not abandoned by heartbeats and registrations that do not name it', async () => {
    const worker = await createWorker(app, person);
    await exportSpans(worker, [llmSpan({ parentSpanId: newSpanId() })]);
    await worker.runtime.post('/agents/register', { runs: [] });
    await worker.runtime.post('/agents/heartbeat', { runs: [] });
    expect(await runsOf(worker)).toMatchObject([{ status: 'running' }]);
  });

  it('ends for a root whose parent is remote', async () => {
    const worker = await createWorker(app, person);
    await exportSpans(worker, [{ name: 'handler', parentSpanId: newSpanId(), flags: 0x300 }]);
    expect(await runsOf(worker)).toMatchObject([{ status: 'succeeded' }]);
  });
});

describe('A run of its own', () => {
  it('is not ended by the root of its trace', async () => {
    const { worker, runId, traceId } = await startWorker();
    await exportSpans(worker, [{ traceId, name: 'root', status: { code: 2 } }]);
    expect(await readRun(person, runId)).toMatchObject({ status: 'running' });
    await tell(worker, { run_id: runId, status: 'succeeded' });
    expect(await readRun(person, runId)).toMatchObject({ status: 'succeeded' });
  });

  it('takes spans that come after its end', async () => {
    const { worker, runId, traceId } = await startWorker();
    await tell(worker, { run_id: runId, status: 'succeeded' });
    await exportSpans(worker, [llmSpan({ traceId })]);
    expect((await readRun(person, runId)).usage).toMatchObject({ llm_calls: 1 });
  });
});

describe('An export', () => {
  it('may be larger than other bodies', async () => {
    const agent = await createAgent(app, person);
    const attributes = { note: 'x'.repeat(3_000) };
    const parentSpanId = newSpanId();
    const traceId = newTraceId();
    const spans = Array.from({ length: 500 }, () => llmSpan({ traceId, parentSpanId, attributes }));
    expect(JSON.stringify(traceExport(spans)).length).toBeGreaterThan(1_048_576);
    await exportSpans(agent, spans);
  });

  it('begins a run for each of many traces', async () => {
    const worker = await createWorker(app, person);
    await exportSpans(
      worker,
      Array.from({ length: 60 }, () => llmSpan({ parentSpanId: newSpanId() })),
    );
    const reply = await person.api.get(`/runs?agent_id=${worker.id}&limit=100`);
    expect(reply.body).toHaveLength(60);
  });
});
