import { instruments } from '../src/observability/instruments.js';
import { registerPerson } from './builders/people.js';
import { createWorker } from './builders/runs.js';
import { exportSpans, llmSpan, newSpanId, newTraceId } from './builders/traces.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function counted(name: string, labels: object = {}): Promise<number> {
  const { values } = await instruments.getSingleMetric(name)!.get();
  return values.find((each) => JSON.stringify(each.labels) === JSON.stringify(labels))?.value ?? 0;
}

it('counts spans, tokens, dollars and calls without a price, each once', async () => {
  const worker = await createWorker(app, await registerPerson(app));
  const read = async () => [
    await counted('control_plane_spans_total'),
    await counted('control_plane_usage_tokens_total', { bucket: 'input' }),
    await counted('control_plane_usage_cost_dollars_total'),
    await counted('control_plane_usage_uncosted_calls_total'),
  ];
  const before = await read();
  const traceId = newTraceId();
  const spans = [
    llmSpan({ traceId, spanId: newSpanId(), input: 1_000_000, output: 0, startedAt: Date.now() - 1_000 }),
    llmSpan({ traceId, spanId: newSpanId(), model: 'home-made', startedAt: Date.now() - 1_000 }),
  ];
  await exportSpans(worker, spans);
  await exportSpans(worker, spans);
  const rises = (await read()).map((value, index) => Number((value - before[index]!).toFixed(6)));
  expect(rises).toEqual([2, 1_000_100, 2.5, 1]);
});
