import type { AgentRun } from '@agent-control-plane/client/runtime';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, eventsOf, readRun } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { AgentStage } from './agent-stage.js';

/** Spans of runs with the library in this process, the real service, and a gateway between them that can be down. */
let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
  person = await registerPerson(app);
});

afterAll(() => app.close());

/** A test with a separate stage; they wait most of the time, so they run concurrently. */
function itOnStage(title: string, test: (on: AgentStage) => Promise<void>): void {
  it.concurrent(title, async () => {
    const on = await AgentStage.open(app, person);
    try {
      await on.deploy();
      await test(on);
    } finally {
      await on.close();
    }
  });
}

const spansOf = async (runId: string): Promise<any[]> => (await person.api.get(`/runs/${runId}/spans`)).body;
const untilSpans = (runId: string, count: number): Promise<any[]> =>
  until(async () => {
    const spans = await spansOf(runId);
    return spans.length === count && spans;
  });

const USAGE = { inputTokens: 10, cacheReadTokens: 90, outputTokens: 20 };

/** Looks something up, and asks a model about it. */
async function work(run: AgentRun): Promise<string> {
  return run.span('answer', 'agent', async () => {
    const found = await run.tool('look_up', { word: 'sun' }, async ({ word }) => `${word} is a star`);
    run.log('found it');
    run.llm({ model: 'small', provider: 'acme', usage: USAGE, costUsd: 0.5 });
    return found;
  });
}

itOnStage('Spans of a run that the service gave are in its trace, one below the other', async (on) => {
  on.start({ apply: undefined, onRun: work });
  const run = await ask(person, on.agent, { input: {} });
  const spans = await untilSpans(run.id, 3);
  const find = (name: string) => spans.find((span) => span.name === name);
  const [agent, tool, llm] = ['answer', 'execute_tool look_up', 'chat small'].map(find);
  const { trace_id: traceId } = await readRun(person, run.id);
  for (const span of spans)
    expect(span).toMatchObject({ run_id: run.id, trace_id: traceId, status: 'unset' });
  expect(agent).toMatchObject({ kind: 'agent' });
  expect(tool).toMatchObject({ kind: 'tool', tool: 'look_up', parent_span_id: agent.span_id });
  expect(llm).toMatchObject({
    kind: 'llm',
    model: 'small',
    provider: 'acme',
    parent_span_id: agent.span_id,
    usage: { input_tokens: 10, cache_read_tokens: 90, output_tokens: 20, cost_usd: '0.500000' },
  });
  const [line] = await until(async () => {
    const { body } = await person.api.get(`/runs/${run.id}/logs`);
    return body.length > 0 && body;
  });
  expect(line.metadata).toEqual({ trace_id: traceId, span_id: agent.span_id });
});

itOnStage(
  'Spans of a run of its own wait for its id, and are there when the program has ended',
  async (on) => {
    let isOpen = false;
    on.gateway.treat = ({ path }) => (path === '/agents/runs' && !isOpen ? { status: 503 } : 'pass');
    const { runtime } = on.start();
    let run!: AgentRun;
    await runtime.run('import', (it) => {
      run = it;
      return work(it);
    });
    await until(() => on.gateway.of('POST /agents/runs').length > 0);
    expect([run.id, on.gateway.of('POST /otlp/v1/traces')]).toEqual([null, []]);
    isOpen = true;
    await runtime.stop();
    const { body: runs } = await person.api.get(`/runs?agent_id=${on.agent.id}`);
    expect(runs).toHaveLength(1);
    expect((await spansOf(runs[0].id)).map(({ name }) => name).sort()).toEqual([
      'answer',
      'chat small',
      'execute_tool look_up',
    ]);
  },
);

itOnStage('What tools and models got and gave is kept where the agent says so', async (on) => {
  await person.api.patch(`/agents/${on.agent.id}`, { capture: 'all' });
  on.start({
    apply: undefined,
    onRun: async (run) => {
      await run.tool('look_up', { word: 'sun' }, async () => 'a star');
      run.llm({ model: 'small', input: 'What is the sun?', output: 'A star.' });
    },
  });
  const run = await ask(person, on.agent, { input: {} });
  const contents = new Map<string, object>();
  for (const { id, kind } of await untilSpans(run.id, 2)) {
    const { body } = await person.api.get(`/runs/${run.id}/spans/${id}?reveal=true`);
    contents.set(kind, body.content.attributes);
  }
  expect(Object.fromEntries(contents)).toEqual({
    tool: { 'gen_ai.tool.call.arguments': '{"word":"sun"}', 'gen_ai.tool.call.result': '"a star"' },
    llm: { 'gen_ai.input.messages': '"What is the sun?"', 'gen_ai.output.messages': '"A star."' },
  });
});

itOnStage('A tool that is called in vain ten times is told, and its run is asked to end', async (on) => {
  await person.api.patch(`/agents/${on.agent.id}`, { on_loop: 'cancel' });
  on.start({
    apply: undefined,
    onRun: async (run) => {
      for (;;) {
        run.signal.throwIfAborted();
        await run.tool('look_up', { word: 'sun' }, async () => null);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  });
  const run = await ask(person, on.agent, { input: {} });
  await until(async () => (await readRun(person, run.id)).status === 'cancelled');
  const steps = (await eventsOf(person, run.id)).filter((step) => !['queued', 'started'].includes(step));
  expect(steps).toEqual(['loop_suspected', 'cancel_requested', 'cancelled']);
});

itOnStage(
  'A span that failed says why, and comes once, although its export was answered twice',
  async (on) => {
    let lost = 0;
    on.gateway.treat = ({ path }) => (path === '/otlp/v1/traces' && (lost += 1) === 1 ? 'lose' : 'pass');
    on.start({
      apply: undefined,
      onRun: (run) =>
        run.tool('pay', { amount: 5 }, () => {
          throw new RangeError('no money left');
        }),
    });
    const run = await ask(person, on.agent, { input: {} });
    await until(() => on.gateway.of('POST /otlp/v1/traces')[1]?.status === 200);
    expect(await spansOf(run.id)).toEqual([
      expect.objectContaining({
        tool: 'pay',
        status: 'error',
        error_type: 'RangeError',
        error_message: expect.stringContaining('no money left'),
      }),
    ]);
    const failed = await until(async () => {
      const it = await readRun(person, run.id);
      return it.status === 'failed' && it;
    });
    expect(failed.error).toContain('no money left');
  },
);
