import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, eventsOf, readRun, tell } from './builders/runs.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

describe('A run', () => {
  it('is created, taken by the agent, and ended with its output', async () => {
    const worker = await createWorker(app, person);
    const asked = await ask(person, worker, {
      input: { question: 'How many?' },
      name: 'count',
      labels: { team: 'billing' },
      conversation_id: 'ticket-1',
      timeout_seconds: 60,
    });
    expect(asked).toMatchObject({
      status: 'queued',
      status_source: 'user',
      source: 'api',
      actor: `user:${person.id}`,
      agent_id: worker.id,
      input: { question: 'How many?' },
      output: null,
      attempt: 0,
      priority: 5,
      deployment_id: null,
      started_at: null,
    });

    const [taken] = await claim(worker);
    expect(taken).toEqual({
      run_id: asked.id,
      attempt: 1,
      input: { question: 'How many?' },
      name: 'count',
      labels: { team: 'billing' },
      conversation_id: 'ticket-1',
      timeout_seconds: 60,
      deployment_id: worker.deploymentId,
      config_version: 1,
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      lease_seconds: 120,
    });
    expect(await readRun(person, asked.id)).toMatchObject({
      status: 'running',
      status_source: 'agent',
      deployment_id: worker.deploymentId,
      config_version: 1,
      attempt: 1,
    });

    await tell(worker, { run_id: asked.id, status: 'running', progress: { percent: 40, message: 'page 4' } });
    expect(await readRun(person, asked.id)).toMatchObject({ progress: { percent: 40, message: 'page 4' } });

    expect(await tell(worker, { run_id: asked.id, status: 'succeeded', output: { answer: 42 } })).toEqual({
      run_id: asked.id,
      run_key: null,
      status: 'succeeded',
      attempt: 1,
      cancel_requested: false,
    });
    expect(await readRun(person, asked.id)).toMatchObject({
      status: 'succeeded',
      output: { answer: 42 },
      error: null,
      ended_at: expect.stringMatching(/Z$/),
    });
    expect(await eventsOf(person, asked.id)).toEqual(['queued', 'started', 'succeeded']);
  });

  it('waits in the agent, continues and fails with its error', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker);
    await claim(worker);
    await tell(worker, { run_id: id, status: 'waiting', waiting_reason: 'approval' });
    expect(await readRun(person, id)).toMatchObject({ status: 'waiting', waiting_reason: 'approval' });
    await tell(worker, { run_id: id, status: 'running' });
    expect(await readRun(person, id)).toMatchObject({ status: 'running', waiting_reason: null });
    await tell(worker, { run_id: id, status: 'failed', error: 'no such invoice' });
    expect(await readRun(person, id)).toMatchObject({ status: 'failed', error: 'no such invoice' });
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'waiting', 'resumed', 'failed']);
  });

  it('keeps its first real end despite later reports', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker);
    await claim(worker);
    await tell(worker, { run_id: id, status: 'failed', error: 'first' });
    expect(await tell(worker, { run_id: id, status: 'succeeded' })).toMatchObject({ status: 'failed' });
    expect(await readRun(person, id)).toMatchObject({ status: 'failed', error: 'first' });
  });

  it('is given to an agent only while a deployment of it is active', async () => {
    const agent = await createAgent(app, person);
    const { id } = await ask(person, agent);
    expect(await claim(agent)).toEqual([]);
    expect(await readRun(person, id)).toMatchObject({
      waiting_reason: 'the agent has no active deployment',
    });
  });

  it('is taken by the highest priority, then the oldest', async () => {
    const worker = await createWorker(app, person);
    const usual = await ask(person, worker);
    const second = await ask(person, worker);
    const urgent = await ask(person, worker, { priority: 9 });
    const low = await ask(person, worker, { priority: 0 });
    const taken = await claim(worker, { limit: 3 });
    expect(taken.map(({ run_id: id }) => id)).toEqual([urgent.id, usual.id, second.id]);
    expect((await claim(worker, { limit: 3 })).map(({ run_id: id }) => id)).toEqual([low.id]);
  });

  it('is given to one of many claims', async () => {
    const worker = await createWorker(app, person);
    const asked = await Promise.all(Array.from({ length: 10 }, () => ask(person, worker)));
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(worker, { limit: 2 })));
    const ids = claims.flat().map(({ run_id: id }) => id);
    expect(ids.sort()).toEqual(asked.map(({ id }) => id).sort());
  });

  it('is given to a waiting claim as soon as it is created', async () => {
    const worker = await createWorker(app, person);
    const waiting = claim(worker, { wait: 30 });
    const { id } = await ask(person, worker);
    expect((await waiting).map(({ run_id: taken }) => taken)).toEqual([id]);
  });

  it('is given again to a claim that is repeated under its key', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker);
    const key = { 'Idempotency-Key': 'claim-1' };
    expect((await claim(worker, {}, key)).map(({ run_id: taken }) => taken)).toEqual([id]);
    await ask(person, worker);
    const again = await worker.runtime.post('/agents/runs/claim', {}, { headers: key });
    expect(again.body.runs.map(({ run_id: taken }: { run_id: string }) => taken)).toEqual([id]);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  });

  it('starts no earlier than it is asked to', async () => {
    const worker = await createWorker(app, person);
    const soon = new Date(Date.now() + 1_500).toISOString();
    const { id } = await ask(person, worker, { start_after: soon });
    expect(await claim(worker)).toEqual([]);
    expect(await readRun(person, id)).toMatchObject({ waiting_reason: `starts at ${soon} or later` });
    expect((await claim(worker, { wait: 30 })).map(({ run_id: taken }) => taken)).toEqual([id]);
  });

  it('is cancelled if it was not begun before its latest start', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker, { expires_at: new Date(Date.now() + 300).toISOString() });
    await until(async () => {
      await app.app.get(PeriodicJobs).runOnce('runs');
      return (await readRun(person, id)).status === 'cancelled';
    });
    expect(await claim(worker)).toEqual([]);
    expect(await readRun(person, id)).toMatchObject({ status_source: 'monitor' });
  });

  it('is found by the beginning of its id', async () => {
    const worker = await createWorker(app, person);
    const [run, other] = [await ask(person, worker), await ask(person, worker)];
    const idsOf = async (prefix: string) => {
      const reply = await person.api.get(`/runs?agent_id=${worker.id}&id_prefix=${prefix}`);
      return (reply.body as { id: string }[]).map(({ id }) => id);
    };
    expect(await idsOf(run.id.slice(0, 35).toUpperCase())).toEqual([run.id]);
    expect(await idsOf(run.id.slice(0, 4))).toEqual([other.id, run.id]);
    expect(await idsOf('ffff')).toEqual([]);
  });

  it('is listed by one of several statuses', async () => {
    const worker = await createWorker(app, person);
    const [failed, done, queued] = [
      await ask(person, worker),
      await ask(person, worker),
      await ask(person, worker),
    ];
    await claim(worker);
    await claim(worker);
    await tell(worker, { run_id: failed.id, status: 'failed' });
    await tell(worker, { run_id: done.id, status: 'succeeded' });
    const idsOf = async (query: string) => {
      const { body } = await person.api.get(`/runs?agent_id=${worker.id}${query}`);
      return body.map(({ id }: { id: string }) => id);
    };
    expect(await idsOf('&status=failed')).toEqual([failed.id]);
    expect(await idsOf('&status=failed&status=timed_out&status=queued')).toEqual([queued.id, failed.id]);
    const refused = await person.api.get('/runs?status=failed&status=lost');
    expectError(refused, 422, /status must be one of/);
  });

  it('is refused when too many are queued for its agent', async () => {
    const worker = await createWorker(app, person);
    await app.database.query(
      `INSERT INTO runs (id, agent_id, project_id, status, status_source, source, actor, trace_id)
       SELECT gen_random_uuid(), $1, $2, 'queued', 'user', 'api', 'user', md5(number::text)
       FROM generate_series(1, 10000) AS number`,
      [worker.id, person.id],
    );
    const reply = await person.api.post(`/agents/${worker.id}/runs`, {});
    expect(reply).toMatchObject({
      status: 429,
      body: {
        code: 'run_queue_full',
        detail: 'The agent has 10000 queued runs, the maximum: wait until it has taken some, or cancel some',
      },
    });
  });
});

describe('The cancellation of a run', () => {
  it('ends a queued run at once', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker);
    const reply = await person.api.post(`/runs/${id}/cancel`, { reason: 'by mistake' });
    expect(reply).toMatchObject({ status: 200, body: { status: 'cancelled', error: 'by mistake' } });
    expect(await claim(worker)).toEqual([]);
    expect((await person.api.post(`/runs/${id}/cancel`, {})).status).toBe(400);
  });

  it('is sent to the runtime that has the run, which ends it early', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker);
    await claim(worker);
    const waiting = worker.runtime.post('/agents/runs/claim', { limit: 0, wait: 30 });
    const reply = await person.api.post(`/runs/${id}/cancel`, {});
    expect(reply.body).toMatchObject({ status: 'running', cancel_requested_at: expect.any(String) });
    expect((await waiting).body).toEqual({ runs: [], cancel_runs: [id] });
    const beat = await worker.runtime.post('/agents/heartbeat', { status: 'running', runs: [id] });
    expect(beat.body.cancel_runs).toEqual([id]);
    expect(await tell(worker, { run_id: id, status: 'running' })).toMatchObject({ cancel_requested: true });
    expect(await tell(worker, { run_id: id, status: 'cancelled' })).toMatchObject({ status: 'cancelled' });
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'cancel_requested', 'cancelled']);
  });

  it('is too late for a run that succeeds', async () => {
    const worker = await createWorker(app, person);
    const { id } = await ask(person, worker);
    await claim(worker);
    await person.api.post(`/runs/${id}/cancel`, {});
    await tell(worker, { run_id: id, status: 'succeeded' });
    expect(await readRun(person, id)).toMatchObject({ status: 'succeeded' });
  });
});
