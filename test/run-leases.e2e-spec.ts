import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import type { TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, eventsOf, readRun, tell } from './builders/runs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

const beat = ({ runtime }: TestAgent, runs?: readonly string[]) =>
  runtime.post('/agents/heartbeat', { status: 'running', runs });

/** A run that an agent has taken. */
async function begun(body: object = {}) {
  const worker = await createWorker(app, person);
  const { id } = await ask(person, worker, body);
  await claim(worker);
  return { worker, id };
}

/** Makes the last heartbeat that did not name the run an earlier one. */
async function beforeAgain(id: string): Promise<void> {
  await app.database.query(
    `UPDATE runs SET missed_since = missed_since - interval '6 seconds' WHERE id = $1`,
    [id],
  );
}

/** Lets the monitor look at the runs once. */
async function judge(): Promise<void> {
  await until(() => app.app.get(PeriodicJobs).runOnce('runs'));
}

describe('The lease of a run', () => {
  it('ends when two heartbeats in a row leave the run out', async () => {
    const { worker, id } = await begun();
    await beat(worker, []);
    expect(await readRun(person, id)).toMatchObject({ status: 'running' });
    await beforeAgain(id);
    await beat(worker, [id]);
    await beat(worker, []);
    await beforeAgain(id);
    expect(await readRun(person, id)).toMatchObject({ status: 'running' });
    await beat(worker, []);
    expect(await readRun(person, id)).toMatchObject({
      status: 'abandoned',
      error: 'Two heartbeats in a row did not list the run',
    });
  });

  it('does not end by a heartbeat that arrives twice', async () => {
    const { worker, id } = await begun();
    await Promise.all([beat(worker, []), beat(worker, [])]);
    await beat(worker, []);
    expect(await readRun(person, id)).toMatchObject({ status: 'running' });
  });

  it('continues through heartbeats that name no runs', async () => {
    const { worker, id } = await begun();
    for (let beats = 0; beats < 3; beats++) await beat(worker);
    expect(await readRun(person, id)).toMatchObject({ status: 'running' });
  });

  it('shows in the time of the last call that named the run', async () => {
    const { worker, id } = await begun();
    const { last_seen_at: taken } = await readRun(person, id);
    await beat(worker, [id]);
    const { last_seen_at: seen } = await readRun(person, id);
    expect(String(seen) > String(taken)).toBe(true);
  });

  it('ends at once when the runtime registers without the run', async () => {
    const { worker, id } = await begun();
    const { id: kept } = await ask(person, worker);
    await claim(worker);
    await worker.runtime.post('/agents/register', { runs: [kept] });
    expect(await readRun(person, id)).toMatchObject({ status: 'abandoned' });
    expect(await readRun(person, kept)).toMatchObject({ status: 'running' });
  });

  it('ends with the deployment, once its runtime has had time to report the real end', async () => {
    const { worker, id } = await begun();
    await person.api.post(`/agents/${worker.id}/stop`);
    await judge();
    expect(await readRun(person, id)).toMatchObject({ status: 'running' });
    await app.database.query(
      `UPDATE deployments SET ended_at = now() - interval '121 seconds' WHERE id = $1`,
      [worker.deploymentId],
    );
    await judge();
    expect(await readRun(person, id)).toMatchObject({ status: 'abandoned', status_source: 'monitor' });
  });

  it('does not keep a real end from counting that arrives late', async () => {
    const { worker, id } = await begun();
    await worker.runtime.post('/agents/register', {});
    expect(await readRun(person, id)).toMatchObject({ status: 'abandoned' });
    expect(await tell(worker, { run_id: id, status: 'succeeded', output: 7 })).toMatchObject({
      status: 'succeeded',
    });
    expect(await readRun(person, id)).toMatchObject({ status: 'succeeded', output: 7, error: null });
    expect(await tell(worker, { run_id: id, status: 'failed' })).toMatchObject({ status: 'succeeded' });
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'abandoned', 'succeeded']);
  });
});

describe('The time of a run', () => {
  it('ends it as timed out, and asks its runtime to end it', async () => {
    const { worker, id } = await begun({ timeout_seconds: 1 });
    await until(async () => {
      await judge();
      return (await readRun(person, id)).status === 'timed_out';
    });
    expect((await beat(worker, [id])).body.cancel_runs).toEqual([id]);
    expect(await tell(worker, { run_id: id, status: 'running' })).toMatchObject({
      status: 'timed_out',
      cancel_requested: true,
    });
    expect(await tell(worker, { run_id: id, status: 'cancelled' })).toMatchObject({ status: 'cancelled' });
  });
});

describe('Another attempt of a run', () => {
  it('is queued when one fails, until none is left', async () => {
    const { worker, id } = await begun({ retry: { max_attempts: 2 } });
    expect(await tell(worker, { run_id: id, status: 'failed', error: 'once' })).toMatchObject({
      status: 'queued',
    });
    expect(await claim(worker)).toMatchObject([{ run_id: id, attempt: 2 }]);
    expect(await tell(worker, { run_id: id, status: 'failed', error: 'twice' })).toMatchObject({
      status: 'failed',
    });
    expect(await readRun(person, id)).toMatchObject({ status: 'failed', error: 'twice', attempt: 2 });
    expect(await eventsOf(person, id)).toEqual([
      'queued',
      'started',
      'failed',
      'queued',
      'started',
      'failed',
    ]);
  });

  it('waits for the requested pause', async () => {
    const { worker, id } = await begun({ retry: { max_attempts: 2, first_delay_seconds: 3_600 } });
    await tell(worker, { run_id: id, status: 'failed' });
    expect(await claim(worker)).toEqual([]);
    expect(await readRun(person, id)).toMatchObject({ waiting_reason: expect.stringMatching(/^starts at /) });
  });

  it('is made of an abandoned run only on request', async () => {
    const { worker: careful, id: once } = await begun({ retry: { max_attempts: 2 } });
    await careful.runtime.post('/agents/register', {});
    expect(await readRun(person, once)).toMatchObject({ status: 'abandoned' });
    const { worker, id } = await begun({ retry: { max_attempts: 2, abandoned: true } });
    await worker.runtime.post('/agents/register', {});
    expect(await readRun(person, id)).toMatchObject({ status: 'queued' });
  });

  it('is not made of a cancelled run', async () => {
    const { worker, id } = await begun({ retry: { max_attempts: 2 } });
    await person.api.post(`/runs/${id}/cancel`, {});
    expect(await tell(worker, { run_id: id, status: 'failed' })).toMatchObject({ status: 'failed' });
  });

  it('does not count attempts that the runtime gives back unstarted', async () => {
    const { worker, id } = await begun();
    expect(await tell(worker, { run_id: id, status: 'queued' })).toMatchObject({ status: 'queued' });
    expect(await readRun(person, id)).toMatchObject({ attempt: 1, deployment_id: null, started_at: null });
    expect(await claim(worker)).toMatchObject([{ run_id: id, attempt: 2 }]);
    expect(await tell(worker, { run_id: id, attempt: 2, status: 'failed' })).toMatchObject({
      status: 'failed',
    });
  });

  it('is a new run when a person asks for it', async () => {
    const { worker, id } = await begun({ input: [1, 2], name: 'count', priority: 7 });
    expect((await person.api.post(`/runs/${id}/retry`)).status).toBe(400);
    await tell(worker, { run_id: id, status: 'failed' });
    const again = await person.api.post(`/runs/${id}/retry`);
    expect(again).toMatchObject({
      status: 201,
      body: { status: 'queued', retry_of: id, input: [1, 2], name: 'count', priority: 7, attempt: 0 },
    });
  });
});

describe('A run of the agent itself', () => {
  it('is begun and ended by a word of its own', async () => {
    const worker = await createWorker(app, person);
    const first = await tell(worker, {
      run_key: 'job-1',
      status: 'running',
      name: 'import',
      input: { file: 1 },
    });
    expect(first).toMatchObject({ run_key: 'job-1', status: 'running' });
    expect(await tell(worker, { run_key: 'job-1', status: 'succeeded', output: 3 })).toMatchObject({
      run_id: first.run_id,
      status: 'succeeded',
    });
    expect(await readRun(person, first.run_id)).toMatchObject({
      source: 'agent',
      actor: `agent:${worker.id}`,
      name: 'import',
      input: { file: 1 },
      output: 3,
      deployment_id: worker.deploymentId,
      attempt: 1,
    });
  });

  it('is begun once, although its batch is sent repeatedly', async () => {
    const worker = await createWorker(app, person);
    const batch = { runs: [{ run_key: 'twice', status: 'succeeded', output: 1 }] };
    const headers = { 'Idempotency-Key': 'batch-1' };
    const first = await worker.runtime.post('/agents/runs', batch, { headers });
    const second = await worker.runtime.post('/agents/runs', batch, { headers });
    expect(second.body).toEqual(first.body);
    const listed = await person.api.get(`/runs?agent_id=${worker.id}`);
    expect(listed.body).toHaveLength(1);
  });

  it('costs the others of its batch nothing when it breaks a rule', async () => {
    const worker = await createWorker(app, person);
    const reply = await worker.runtime.post('/agents/runs', {
      runs: [
        { status: 'running' },
        { run_key: 'good', status: 'running' },
        { run_key: 'bad', status: 'done' },
      ],
    });
    expect(reply.body.runs).toMatchObject([{ run_key: 'good', status: 'running' }]);
    expect(reply.body.refused.map(({ field }: { field: string }) => field)).toEqual([
      'runs.0.run_key',
      'runs.2.status',
    ]);
  });
});

describe('A request that waits for the end of a run', () => {
  it('is answered when the run has ended', async () => {
    const { worker, id } = await begun();
    const waiting = person.api.get(`/runs/${id}?wait=30`);
    await tell(worker, { run_id: id, status: 'succeeded', output: 'done' });
    expect((await waiting).body).toMatchObject({ status: 'succeeded', output: 'done' });
  });

  it('may be the request that creates the run', async () => {
    const worker = await createWorker(app, person);
    const headers = { Prefer: 'respond-async, wait=30' };
    const asking = person.api.post(`/agents/${worker.id}/runs`, { input: 1 }, { headers });
    const [taken] = await claim(worker, { wait: 30 });
    await tell(worker, { run_id: taken!.run_id, status: 'succeeded', output: 2 });
    expect(await asking).toMatchObject({ status: 200, body: { status: 'succeeded', output: 2 } });
  });

  it('is answered with the present run after the time limit', async () => {
    const worker = await createWorker(app, person);
    const headers = { Prefer: 'wait=1' };
    const reply = await person.api.post(`/agents/${worker.id}/runs`, {}, { headers });
    expect(reply).toMatchObject({ status: 201, body: { status: 'queued' } });
  });
});
