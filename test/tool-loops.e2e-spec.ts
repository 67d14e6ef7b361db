import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun, tell } from './builders/runs.js';
import { type ExportedSpan, exportSpans, newSpanId, newTraceId, toolSpan } from './builders/traces.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

let app: TestApp;
let other: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
  other = await startTestApp({ settings: WEBHOOK_SETTINGS, database: app.database });
  person = await registerPerson(app);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

type Worker = Awaited<ReturnType<typeof createWorker>>;

/** An agent that has a run. */
async function startWorker(body: object = {}, owner = person) {
  const worker = await createWorker(app, owner, body);
  const { id } = await ask(owner, worker);
  const [run] = await claim(worker, { limit: 1 });
  const [, traceId] = String(run!.traceparent).split('-');
  return { worker, runId: id, traceId: traceId! };
}

/** A call with arguments and result. */
const call = (traceId: string, result = 'nothing found', span: ExportedSpan & { tool?: string } = {}) =>
  toolSpan({
    traceId,
    spanId: newSpanId(),
    // The same whenever the span is sent.
    startedAt: Date.now() - 5_000,
    ...span,
    attributes: { 'gen_ai.tool.call.arguments': '{"q":"sun"}', 'gen_ai.tool.call.result': result },
  });
const calls = (count: number, traceId: string, result?: string) =>
  Array.from({ length: count }, () => call(traceId, result));

/** The steps of a run about a loop, oldest first. */
async function loopsOf(runId: string, owner = person): Promise<any[]> {
  const { body } = await owner.api.get(`/runs/${runId}/events?limit=500`);
  return body.filter((step: any) => step.event_type === 'loop_suspected').reverse();
}

const REASON = 'The tool "search" was called 10 times with the same arguments and the same result';

describe('The same call of a tool, ten times within a run', () => {
  it('is one step of its history, by the monitor, also after later calls', async () => {
    const { worker, runId, traceId } = await startWorker();
    await exportSpans(worker, calls(9, traceId));
    expect(await loopsOf(runId)).toEqual([]);
    await exportSpans(worker, calls(1, traceId));
    expect(await loopsOf(runId)).toMatchObject([
      { message: REASON, actor: 'monitor', status: 'running', previous_status: 'running' },
    ]);
    await exportSpans(worker, calls(25, traceId));
    expect(await loopsOf(runId)).toHaveLength(1);
    expect(await readRun(person, runId)).toMatchObject({ status: 'running', cancel_requested_at: null });
  });

  it('counts each span once, although it is sent twice, in pieces, and to two instances at once', async () => {
    const { worker, runId, traceId } = await startWorker();
    const spans = calls(9, traceId);
    const elsewhere = { runtime: other.api.as(worker.key) };
    await Promise.all([
      exportSpans(worker, spans),
      exportSpans(elsewhere, spans),
      exportSpans(elsewhere, spans.slice(4)),
      exportSpans(worker, [...spans.slice(0, 3), ...spans.slice(0, 3)]),
    ]);
    expect(await loopsOf(runId)).toEqual([]);
    const last = calls(1, traceId);
    await Promise.all([exportSpans(worker, last), exportSpans(elsewhere, last)]);
    expect(await loopsOf(runId)).toHaveLength(1);
  });

  it('is reported once when two instances count it at the same moment', async () => {
    const { worker, runId, traceId } = await startWorker();
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        exportSpans({ runtime: (index % 2 ? app : other).api.as(worker.key) }, calls(5, traceId)),
      ),
    );
    expect(await loopsOf(runId)).toHaveLength(1);
  });

  it('needs the same tool, arguments and result, all of them reported', async () => {
    const { worker, runId, traceId } = await startWorker();
    await exportSpans(worker, [
      ...Array.from({ length: 30 }, (_, index) => call(traceId, `result ${index}`)),
      ...Array.from({ length: 30 }, (_, index) => call(traceId, 'same', { tool: `tool${index % 5}` })),
      ...Array.from({ length: 30 }, () => toolSpan({ traceId })),
    ]);
    expect(await loopsOf(runId)).toEqual([]);
  });

  it('is a loop of its own run only', async () => {
    const worker = await createWorker(app, person);
    const traceIds = Array.from({ length: 5 }, newTraceId);
    await exportSpans(
      worker,
      traceIds.flatMap((traceId) =>
        calls(9, traceId).map((span) => ({ ...span, parentSpanId: newSpanId() })),
      ),
    );
    const runs = (await person.api.get(`/runs?agent_id=${worker.id}&source=trace`)).body;
    expect(runs).toHaveLength(5);
    for (const { id } of runs) expect(await loopsOf(id)).toEqual([]);
  });

  it('is found among the 5,000 spans of a run, where other calls are as many as the spans', async () => {
    const { worker, runId, traceId } = await startWorker();
    for (let part = 0; part < 10; part++) {
      const others = Array.from({ length: 499 }, (_, index) => call(traceId, `${part} ${index}`));
      await exportSpans(worker, [...others, ...calls(1, traceId)]);
    }
    expect(await loopsOf(runId)).toMatchObject([{ message: REASON }]);
    const [{ known } = { known: 0 }] = await app.database.query<{ known: number }>(
      'SELECT count(*)::int AS known FROM run_tool_calls WHERE run_id = $1',
      [runId],
    );
    expect(known).toBeLessThanOrEqual(1_000);
  });

  it('is reported for an ended run, whose end stays', async () => {
    const { worker, runId, traceId } = await startWorker();
    await tell(worker, { run_id: runId, status: 'failed', error: 'no answer' });
    const before = await readRun(person, runId);
    await exportSpans(worker, calls(10, traceId));
    expect(await loopsOf(runId)).toMatchObject([{ status: 'failed', previous_status: 'failed' }]);
    const { usage, ...after } = await readRun(person, runId);
    expect(after).toEqual({ ...before, usage: undefined });
    expect(usage).toMatchObject({ tool_calls: 10 });
  });

  it('is reported for twenty calls of a run at most', async () => {
    const { worker, runId, traceId } = await startWorker();
    const spans = Array.from({ length: 25 }, (_, index) => calls(10, traceId, `result ${index}`)).flat();
    await exportSpans(worker, spans);
    await exportSpans(worker, calls(10, traceId, 'one more'));
    expect(await loopsOf(runId)).toHaveLength(20);
  });

  it('is reported by the next round when the instance that counted it was killed before', async () => {
    const { worker, runId, traceId } = await startWorker();
    await exportSpans(worker, calls(9, traceId));
    // The commit of the tenth call, without what follows it.
    await app.database.query('UPDATE run_tool_calls SET calls = 10 WHERE run_id = $1', [runId]);
    await until(() => app.app.get(PeriodicJobs).runOnce('toolLoops'));
    expect(await loopsOf(runId)).toMatchObject([{ message: REASON }]);
  });

  it('is forgotten a day after its last call, unless it was reported', async () => {
    const { worker, runId, traceId } = await startWorker();
    await exportSpans(worker, [...calls(9, traceId), ...calls(10, traceId, 'told')]);
    const age = `UPDATE run_tool_calls SET last_called_at = now() - interval '2 days' WHERE run_id = $1`;
    await app.database.query(age, [runId]);
    await until(() => app.app.get(PeriodicJobs).runOnce('toolCallRetention'));
    await exportSpans(worker, [...calls(9, traceId), ...calls(10, traceId, 'told')]);
    expect(await loopsOf(runId)).toHaveLength(1);
  });

  it('is an event for webhooks', async () => {
    const own = await registerPerson(app);
    const receiver = await WebhookReceiver.start();
    await createWebhook(own, receiver.url, { events: ['run.loop_suspected'] });
    const { worker, runId, traceId } = await startWorker({}, own);
    await exportSpans(worker, calls(12, traceId));
    await until(() => receiver.received.length > 0);
    expect(receiver.events).toMatchObject([
      { type: 'run.loop_suspected', data: { run: { id: runId }, event: { event_type: 'loop_suspected' } } },
    ]);
    await receiver.close();
  });
});

describe('An agent with on_loop', () => {
  it('"notify", which is the default, lets its runs continue', async () => {
    const worker: Worker = await createWorker(app, person);
    expect((await person.api.get(`/agents/${worker.id}`)).body).toMatchObject({ on_loop: 'notify' });
  });

  it('"cancel" has a looping run asked to end, with the reason', async () => {
    const { worker, runId, traceId } = await startWorker({ on_loop: 'cancel' });
    expect((await person.api.get(`/agents/${worker.id}`)).body).toMatchObject({ on_loop: 'cancel' });
    await exportSpans(worker, [...calls(10, traceId), ...calls(10, traceId, 'another')]);
    const { body: steps } = await person.api.get(`/runs/${runId}/events`);
    expect(steps.map(({ event_type: type }: any) => type)).toEqual([
      'cancel_requested',
      'loop_suspected',
      'loop_suspected',
      'started',
      'queued',
    ]);
    expect(steps[0]).toMatchObject({ message: REASON, actor: 'monitor' });
    const { body } = await worker.runtime.post('/agents/heartbeat', { runs: [runId] });
    expect(body.cancel_runs).toEqual([runId]);
  });

  it('may be changed, which the audit log records, and an invalid value is refused', async () => {
    const { worker, runId, traceId } = await startWorker();
    const changed = await person.api.patch(`/agents/${worker.id}`, { on_loop: 'cancel' });
    expect([changed.status, changed.body.on_loop]).toEqual([200, 'cancel']);
    const { body: audited } = await person.api.get(`/audit?target_id=${worker.id}&action=agent.update`);
    expect(audited[0].details ?? audited[0]).toMatchObject({ properties: ['on_loop'] });
    await exportSpans(worker, calls(10, traceId));
    expect((await readRun(person, runId)).cancel_requested_at).not.toBeNull();
    expect((await person.api.patch(`/agents/${worker.id}`, { on_loop: null })).body.on_loop).toBe('notify');
    expect((await person.api.patch(`/agents/${worker.id}`, { on_loop: 'stop' })).status).toBe(422);
  });
});
