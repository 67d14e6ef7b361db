import { jest } from '@jest/globals';
import { registerPerson } from '../builders/people.js';
import { ask, createWorker, readRun } from '../builders/runs.js';
import { llmSpan, newSpanId, newTraceId, traceExport } from '../builders/traces.js';
import type { ApiReply } from '../harness/api-client.js';
import { urlOf } from '../harness/child-service.js';
import { until } from '../harness/until.js';
import { Stage } from './embedded-postgres-stage.js';
import { Instances } from './instances.js';
import { Traffic } from './traffic.js';

/** A second PostgreSQL and a service start first, which takes a busy machine a minute. */
jest.setTimeout(180_000);

const TOKENS_OF_A_SPAN = 100;
/** The kinds of requests that need the telemetry database. */
const TELEMETRY = /^(logs|metrics|spans): /;

it('loses no acknowledged line or span when the telemetry server is killed, counts usage once, and fails nothing else', async () => {
  const stage = new Stage();
  await stage.start();
  const telemetry = stage.database;
  const instances = await Instances.start(1, {
    TELEMETRY_DATABASE_URL: urlOf(telemetry.target),
    MAX_QUEUED_RUNS_PER_AGENT: '10000',
  });
  const { api } = instances.first;
  const telemetryState = async () => (await api.get('/ready')).body.telemetry_database as string;
  try {
    const person = await registerPerson(instances.app());
    const worker = await createWorker(instances.app(), person);
    const { id: runId } = await ask(person, worker);
    await until(async () => (await telemetryState()) === 'ready');

    const acknowledged = { lines: [] as string[], spans: [] as string[] };
    let number = 0;
    /** Sends what has a name of its own, and notes the name when it is acknowledged. */
    const noted =
      (names: string[], newName: () => string, send: (name: string) => Promise<ApiReply<any>>) =>
      async () => {
        const name = newName();
        const reply = await send(name);
        if (reply.status < 300) names.push(name);
        return reply;
      };
    const { runtime } = worker;
    const resource = { 'agent_control_plane.run_id': runId };
    const traffic = new Traffic({
      logs: noted(
        acknowledged.lines,
        () => `line ${++number}`,
        (message) => runtime.post('/agents/logs', { level: 'info', message }),
      ),
      metrics: () => runtime.post('/agents/metrics', { cpu_usage: 1 }),
      spans: noted(acknowledged.spans, newSpanId, (spanId) =>
        runtime.post(
          '/otlp/v1/traces',
          traceExport([llmSpan({ spanId, traceId: newTraceId(), input: TOKENS_OF_A_SPAN })], resource),
        ),
      ),
      heartbeats: () => runtime.post('/agents/heartbeat', {}),
      polls: () => runtime.get('/agents/commands'),
      runs: () => person.api.post(`/agents/${worker.id}/runs`, {}),
      agents: () => person.api.get('/agents'),
      overview: () => person.api.get('/overview'),
    });
    try {
      for (const signal of ['SIGKILL', 'SIGINT'] as const) {
        await until(() => traffic.isServed);
        const before = stage.runningPid();
        process.kill(before, signal);
        await until(() => ![undefined, before].includes(stage.pid()));
        await until(async () => (await telemetryState()) === 'ready');
        traffic.forget();
      }
      await until(() => traffic.isServed);
    } finally {
      await traffic.end();
    }
    const unsuccessful = [...traffic.unsuccessful].sort();
    expect(unsuccessful.filter((name) => !TELEMETRY.test(name))).toEqual([]);
    expect(unsuccessful.filter((name) => !name.endsWith(': 503'))).toEqual([]);
    expect(unsuccessful.length).toBeGreaterThan(0);

    const lines = (await telemetry.query<{ message: string }>('SELECT message FROM agent_logs')).map(
      ({ message }) => message,
    );
    expect(acknowledged.lines.filter((line) => !lines.includes(line))).toEqual([]);
    const stored = (
      await telemetry.query<{ id: string }>(`SELECT encode(span_id, 'hex') AS id FROM agent_spans`)
    ).map(({ id }) => id);
    expect(acknowledged.spans.filter((id) => !stored.includes(id))).toEqual([]);
    // Usage that an outage has cut off between the two commits is counted by a job.
    await telemetry.query(`UPDATE uncounted_usage SET created_at = now() - interval '1 minute'`);
    await until(async () => (await telemetry.query('SELECT id FROM uncounted_usage')).length === 0, 90_000);
    const { usage } = (await readRun(person, runId)) as { usage?: { input_tokens: number } };
    expect(usage?.input_tokens).toBe(stored.length * TOKENS_OF_A_SPAN);
  } finally {
    try {
      await instances.close();
    } finally {
      await stage.clear();
    }
  }
});
