import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun, type TestRun } from './builders/runs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import {
  type Dialect,
  dialects,
  type ExpectedRun,
  type ExpectedSpan,
  type ExpectedTokens,
} from './otlp/dialects.js';

/** When the spans of the exports begin, in nanoseconds. */
const RECORDED_AT = BigInt(Date.parse('2026-11-26T12:00:00Z')) * 1_000_000n;
const MINUTE = 60_000_000_000n;
/** From then to a minute ago: the same for all exports, because a span that is sent again has the same times. */
const SHIFT = BigInt(Date.now()) * 1_000_000n - RECORDED_AT - MINUTE;
const MICROS_OF_A_DOLLAR = 1_000_000;

type Worker = Awaited<ReturnType<typeof createWorker>>;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

/** The export as if it had been recorded a minute ago, for a run and a deployment of this agent. */
function adapted(traces: unknown, ids: ReadonlyMap<string, string>): object {
  const text = JSON.stringify(traces).replace(
    /("[a-zA-Z]+UnixNano":)"(\d+)"/g,
    (_, name: string, time: string) => `${name}"${BigInt(time) + SHIFT}"`,
  );
  return JSON.parse([...ids].reduce((json, [from, to]) => json.replaceAll(from, to), text)) as object;
}

/** Sends the exports one after the other. @returns the run of each trace */
async function send({ traces, expected }: Dialect, worker: Worker): Promise<Map<string, TestRun>> {
  const ids = new Map<string, string>();
  const runIds = new Map<string, string>();
  for (const run of expected.runs.filter(({ run_id }) => run_id !== null)) {
    const asked = await ask(person, worker);
    ids.set(run.run_id!, asked.id);
    runIds.set(run.trace_id, asked.id);
  }
  for (const { deployment_id } of expected.spans) {
    if (typeof deployment_id === 'string') ids.set(deployment_id.toUpperCase(), worker.deploymentId);
  }
  if (ids.size > 0) await claim(worker, { limit: 10 });
  for (const json of traces) {
    const reply = await worker.runtime.post('/otlp/v1/traces', adapted(json, ids));
    expect([reply.status, reply.body]).toEqual([200, {}]);
  }
  const traced: TestRun[] = (await person.api.get(`/runs?agent_id=${worker.id}&source=trace`)).body;
  for (const run of traced) runIds.set(String(run.trace_id), run.id);
  const runs = [...runIds].map(async ([traceId, id]) => [traceId, await readRun(person, id)] as const);
  return new Map(await Promise.all(runs));
}

const bucketsOf = (tokens: ExpectedTokens) => ({
  input_tokens: tokens.input,
  cache_read_tokens: tokens.cache_read,
  cache_write_tokens: tokens.cache_write,
  output_tokens: tokens.output,
  reasoning_tokens: tokens.reasoning,
});

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

function usageOf({ usage, tool_calls, tool_errors }: ExpectedRun) {
  const told = usage.flatMap(({ tokens }) => (tokens ? [bucketsOf(tokens)] : []));
  const names = Object.keys(bucketsOf({ input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 }));
  const isCostTold = usage.every(({ cost_usd }) => cost_usd !== null);
  return {
    ...Object.fromEntries(names.map((name) => [name, sumOf(told.map((buckets: any) => buckets[name]))])),
    llm_calls: sumOf(usage.map(({ llm_calls }) => llm_calls)),
    tool_calls,
    tool_errors,
    ...(isCostTold && {
      cost_usd: (
        Math.round(sumOf(usage.map(({ cost_usd }) => cost_usd!)) * MICROS_OF_A_DOLLAR) / MICROS_OF_A_DOLLAR
      ).toFixed(6),
    }),
  };
}

function statusOf({ run_id, is_ended, status }: ExpectedRun): string {
  // A run that was asked for is ended by its runtime.
  if (!is_ended || run_id !== null) return 'running';
  return status === 'error' ? 'failed' : 'succeeded';
}

/** Fields of an expected span that the API shows. */
const SHOWN = [
  'span_id',
  'parent_span_id',
  'name',
  'kind',
  'status',
  'error_type',
  'error_message',
  'model',
  'provider',
  'tool',
];

function shownOf(span: ExpectedSpan): object {
  const shown = Object.fromEntries(SHOWN.filter((name) => name in span).map((name) => [name, span[name]]));
  if (span.tokens === undefined) return shown;
  return { ...shown, usage: span.tokens && expect.objectContaining(bucketsOf(span.tokens)) };
}

describe.each(dialects().filter(({ traces }) => traces.length > 0))('Exports of $name', (dialect) => {
  const { expected } = dialect;

  it('become the expected runs and spans, counted once, without a word of content', async () => {
    const worker = await createWorker(app, person);
    const runs = await send(dialect, worker);
    const stored: any[] = [];
    for (const run of expected.runs) {
      const actual = runs.get(run.trace_id)!;
      expect(actual).toMatchObject({ status: statusOf(run), usage: usageOf(run) });
      if (run.run_id === null) expect(actual.conversation_id).toBe(run.conversation_id);
      stored.push(...(await person.api.get(`/runs/${actual.id}/spans`)).body);
    }
    const ids = (spans: readonly { span_id: string }[]) => spans.map(({ span_id }) => span_id).sort();
    expect(ids(stored)).toEqual(ids(expected.spans));
    expect(stored).toEqual(
      expect.arrayContaining(expected.spans.map((span) => expect.objectContaining(shownOf(span)))),
    );
    for (const { run_id, span_id } of stored) {
      const { body } = await person.api.get(`/runs/${run_id}/spans/${span_id}`);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
  });
});
