import { randomUUID } from 'node:crypto';
import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker } from './builders/runs.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;
let worker: Awaited<ReturnType<typeof createWorker>>;
/** A run that the worker has taken. */
let runId: string;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

beforeEach(async () => {
  worker = await createWorker(app, person);
  runId = (await ask(person, worker)).id;
  await claim(worker);
});

afterAll(() => app.close());

const line = { level: 'info', message: 'read page 1' };

const messagesOf = async (path: string) =>
  ((await person.api.get(path)).body as { message: string }[]).map(({ message }) => message);

describe('GET /runs/{run_id}/logs', () => {
  it("lists only the agent's entries for the run, newest first", async () => {
    const other = (await ask(person, worker)).id;
    const logs = [
      { ...line, message: 'one', run_id: runId.toUpperCase() },
      { ...line, message: 'of another', run_id: other },
      { ...line, message: 'of none' },
      { ...line, message: 'two', level: 'error', run_id: runId },
    ];
    expect((await worker.runtime.post('/agents/logs', { logs })).status).toBe(200);
    const reply = await person.api.get(`/runs/${runId}/logs`);
    expect(reply.body).toEqual([
      expect.objectContaining({ message: 'two', run_id: runId, agent_id: worker.id }),
      expect.objectContaining({ message: 'one', run_id: runId, deployment_id: worker.deploymentId }),
    ]);
    expect(await messagesOf(`/runs/${runId}/logs?min_level=warning`)).toEqual(['two']);
    expect(await messagesOf(`/runs/${runId}/logs?q=ONE`)).toEqual(['one']);
    expect(await messagesOf(`/runs/${runId}/logs?until=2020-01-01T00:00:00Z`)).toEqual([]);
    expect((await person.api.get(`/agents/${worker.id}/logs`)).body).toEqual(
      [runId, null, other, runId].map((run_id) => expect.objectContaining({ run_id })),
    );
  });

  it('continues after the last entry of a page', async () => {
    const logs = ['a', 'b', 'c'].map((message) => ({ ...line, message, run_id: runId }));
    await worker.runtime.post('/agents/logs', { logs });
    const { body } = await person.api.get(`/runs/${runId}/logs?limit=2`);
    expect(await messagesOf(`/runs/${runId}/logs?limit=2&before=${body[1].id}`)).toEqual(['a']);
  });

  it("is a 404 for another project's run", async () => {
    const stranger = await registerPerson(app);
    expectError(await stranger.api.get(`/runs/${runId}/logs`), 404, 'Run not found');
  });

  it('reads the index of the entries that have a run', async () => {
    const plan = await app.database.query(
      'EXPLAIN SELECT * FROM agent_logs WHERE run_id = $1 ORDER BY "timestamp" DESC, id DESC LIMIT 51',
      [runId],
    );
    expect(JSON.stringify(plan)).toMatch(/run_id_timestamp_id_idx/);
  });
});

describe('The run of an entry', () => {
  it('gives the entry the deployment that took it, where the agent has several', async () => {
    await person.api.post('/deployments', { agent_id: worker.id });
    await worker.runtime.post('/agents/logs', { logs: [{ ...line, run_id: runId }, line] });
    await worker.runtime.post('/agents/metrics', { cpu_usage: 1, run_id: runId });
    const [none, own] = (await person.api.get(`/agents/${worker.id}/logs`)).body;
    expect([none.deployment_id, own.deployment_id]).toEqual([null, worker.deploymentId]);
    const [metric] = (await person.api.get(`/agents/${worker.id}/metrics`)).body;
    expect(metric).toMatchObject({ run_id: runId, deployment_id: worker.deploymentId });
  });

  it('is refused like an unknown one when it belongs to another agent', async () => {
    const foreign = (await ask(person, await createAgent(app, person))).id;
    const rule = 'run_id must be a run of this agent';
    const logs = [runId, foreign, randomUUID()].map((run_id) => ({ ...line, run_id }));
    expect(await worker.runtime.post('/agents/logs', { logs })).toMatchObject({
      status: 422,
      body: { message: [`logs.1.${rule}`, `logs.2.${rule}`] },
    });
    expect(await worker.runtime.post('/agents/metrics', { run_id: foreign })).toMatchObject({
      status: 422,
      body: { message: [rule] },
    });
    expect(await messagesOf(`/agents/${worker.id}/logs`)).toEqual([]);
  });

  it('is an attribute of a log record, or of the resource, in OpenTelemetry', async () => {
    const attribute = (value: string) => [
      { key: 'agent_control_plane.run_id', value: { stringValue: value } },
    ];
    const second = (await ask(person, worker)).id;
    const records = [
      { timeUnixNano: '2000000', body: { stringValue: 'of the resource' } },
      { timeUnixNano: '1000000', body: { stringValue: 'its own' }, attributes: attribute(second) },
      { timeUnixNano: '3000000', body: { stringValue: 'foreign' }, attributes: attribute(randomUUID()) },
    ];
    const reply = await worker.runtime.post('/otlp/v1/logs', {
      resourceLogs: [{ resource: { attributes: attribute(runId) }, scopeLogs: [{ logRecords: records }] }],
    });
    expect(reply.body).toEqual({
      partialSuccess: {
        rejectedLogRecords: '1',
        errorMessage:
          '1 not stored: resourceLogs.0.scopeLogs.0.logRecords.2.run_id must be a run of this agent',
      },
    });
    const gauge = { dataPoints: [{ timeUnixNano: '1', asDouble: 1 }] };
    await worker.runtime.post('/otlp/v1/metrics', {
      resourceMetrics: [
        {
          resource: { attributes: attribute(runId) },
          scopeMetrics: [{ metrics: [{ name: 'load', gauge }] }],
        },
      ],
    });
    const runsOf = (rows: { run_id: string | null }[]) => rows.map(({ run_id }) => run_id);
    expect(runsOf((await person.api.get(`/agents/${worker.id}/logs`)).body)).toEqual([runId, second]);
    expect(runsOf((await person.api.get(`/agents/${worker.id}/metrics`)).body)).toEqual([runId]);
  });
});
