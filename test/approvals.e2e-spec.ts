import { createHash } from 'node:crypto';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { askApproval, bodyOf, decided, fetchAnswer, question, workingOn } from './builders/approvals.js';
import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { eventsOf, readRun, tell } from './builders/runs.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await app.close();
});

/** Ends the time of an approval. */
const overdue = (id: string) =>
  app.database.query("UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);

describe('A question', () => {
  it('is shown with its arguments as they were sent, and the hash of their canonical form', async () => {
    const agent = await createAgent(app, person);
    const args = { b: [1, 2.5], a: '<b>\u202e\u001b[1m@all</b>', c: null };
    const asked = await askApproval(agent, { action: { name: 'x', args }, risk: 'high', description: 'why' });
    const canonical = `{"a":${JSON.stringify(args.a)},"b":[1,2.5],"c":null}`;
    expect(asked).toMatchObject({
      approval_id: asked.id,
      project_id: person.id,
      agent_id: agent.id,
      run_id: null,
      action: { name: 'x', args },
      args_sha256: createHash('sha256').update(canonical).digest('hex'),
      risk: 'high',
      description: 'why',
      state: 'pending',
      ...{ decided_by: null, reason: null, edited_args: null, response: null, decided_at: null },
    });
    expect(bodyOf(await person.api.get(`/approvals/${asked.id}`), 200)).toMatchObject(asked);
  });

  it('is asked once for each key; another action under the key is a 409', async () => {
    const agent = await createAgent(app, person);
    const body = question({ action: { name: 'x', args: { a: 1, b: 2 } } });
    const first = await agent.runtime.post('/agents/approvals', body);
    const again = { ...body, action: { name: 'x', args: { b: 2, a: 1 } } };
    expect(bodyOf(await agent.runtime.post('/agents/approvals', again), 201)).toEqual(first.body);
    for (const action of [
      { name: 'y', args: { a: 1, b: 2 } },
      { name: 'x', args: { a: 1 } },
    ])
      expectError(await agent.runtime.post('/agents/approvals', { ...body, action }), 409);
    const other = await createAgent(app, person);
    expect((await askApproval(other, body)).id).not.toBe(first.body.id);
  });

  it('has arguments of at most 32 KiB, as they are stored', async () => {
    const { runtime } = await createAgent(app, person);
    const ask = (args: unknown) =>
      runtime.post('/agents/approvals', question({ action: { name: 'x', args } }));
    expect((await ask('x'.repeat(32 * 1024 - 2))).status).toBe(201);
    expectError(await ask('x'.repeat(32 * 1024 - 1)), 422);
    expectError(await ask(Array(200).fill(1e300)), 422);
    expectError(await runtime.post('/agents/approvals', question({ action: { args: 1 } })), 422);
    expectError(await runtime.post('/agents/approvals', question({ action: 'x' })), 422);
  });

  it('is refused while a hundred of the agent wait, and taken when one is withdrawn', async () => {
    const agent = await createAgent(app, person);
    const asked = [];
    for (let count = 0; count < 100; count++) asked.push(await askApproval(agent));
    const refused = await agent.runtime.post('/agents/approvals', question());
    expectError(refused, 429);
    expect(refused.headers.get('retry-after')).toBe('60');
    const withdrawn = await agent.runtime.post(`/agents/approvals/${asked[0]!.id}/withdraw`);
    expect(withdrawn.body).toMatchObject({ state: 'withdrawn', decided_by: null });
    await askApproval(agent);
  });

  it('belongs to its agent: another one finds nothing', async () => {
    const asked = await askApproval(await createAgent(app, person));
    const { runtime } = await createAgent(app, person);
    expectError(await runtime.get(`/agents/approvals/${asked.id}?wait=1`), 404, 'Approval not found');
    expectError(await runtime.post(`/agents/approvals/${asked.id}/withdraw`), 404, 'Approval not found');
    const { runId } = await workingOn(app, person);
    expectError(await runtime.post('/agents/approvals', question({ run_id: runId })), 404, 'Run not found');
  });

  it('is listed at a registration until its answer was fetched', async () => {
    const agent = await createAgent(app, person);
    const register = async () =>
      (await agent.runtime.post('/agents/register', {})).body.approvals.map((each: any) => each.id);
    expect(await register()).toEqual([]);
    const [one, two, gone] = [await askApproval(agent), await askApproval(agent), await askApproval(agent)];
    await agent.runtime.post(`/agents/approvals/${gone.id}/withdraw`);
    await decided(person, one);
    expect(await register()).toEqual([one.id, two.id]);
    await fetchAnswer(agent, one.id);
    expect(await register()).toEqual([two.id]);
  });
});

describe('A run', () => {
  it('waits for the answer by itself, and continues when it was fetched', async () => {
    const { worker, runId } = await workingOn(app, person);
    const asked = await askApproval(worker, { run_id: runId });
    expect(await readRun(person, runId)).toMatchObject({
      status: 'waiting',
      waiting_reason: 'Approval: Pay invoice 4711',
    });
    await decided(person, asked, { reason: 'right' });
    expect((await readRun(person, runId)).status).toBe('waiting');
    expect(await fetchAnswer(worker, asked.id)).toMatchObject({ state: 'approved', reason: 'right' });
    expect(await readRun(person, runId)).toMatchObject({ status: 'running', waiting_reason: null });
    expect(await eventsOf(person, runId)).toEqual([
      'queued',
      'started',
      'waiting',
      'approval_decided',
      'resumed',
    ]);
    const history = (await person.api.get(`/runs/${runId}/events`)).body;
    expect(history[1]).toMatchObject({
      actor: `user:${person.id}`,
      message: 'Pay invoice 4711: approved; right',
    });
    // A second fetch gets the same answer, and is no step.
    expect((await fetchAnswer(worker, asked.id)).fetched_at).not.toBeNull();
    expect(await eventsOf(person, runId)).toHaveLength(5);
  });

  it('with two questions continues after the last answer', async () => {
    const { worker, runId } = await workingOn(app, person);
    const one = await askApproval(worker, { run_id: runId, title: 'one' });
    const two = await askApproval(worker, { run_id: runId, title: 'two' });
    expect((await readRun(person, runId)).waiting_reason).toBe('Approval: two');
    await decided(person, two);
    await fetchAnswer(worker, two.id);
    expect(await readRun(person, runId)).toMatchObject({
      status: 'waiting',
      waiting_reason: 'Approval: one',
    });
    await worker.runtime.post(`/agents/approvals/${one.id}/withdraw`);
    expect((await readRun(person, runId)).status).toBe('running');
  });

  it('withdraws its questions when it ends, and can ask no more', async () => {
    const { worker, runId } = await workingOn(app, person);
    const asked = await askApproval(worker, { run_id: runId });
    const waiting = fetchAnswer(worker, asked.id, 30);
    await tell(worker, { run_id: runId, status: 'failed', error: 'x' });
    expect((await waiting).state).toBe('withdrawn');
    expectError(await worker.runtime.post('/agents/approvals', question({ run_id: runId })), 400);
  });

  it("withdraws its questions when it is lost, also after its agent's deletion", async () => {
    const { worker, runId } = await workingOn(app, person);
    const asked = await askApproval(worker, { run_id: runId });
    await worker.runtime.post('/agents/register', { runs: [] });
    expect((await readRun(person, runId)).status).toBe('abandoned');
    expect((await person.api.get(`/approvals/${asked.id}`)).body.state).toBe('withdrawn');
    const agent = await createAgent(app, person);
    const { id } = await askApproval(agent);
    await person.api.delete(`/agents/${agent.id}`);
    const listed = (await person.api.get('/approvals?limit=100')).body;
    expect(listed.map((each: any) => each.id)).not.toContain(id);
  });
});

describe('A time that is over', () => {
  it('makes an approval expired by the monitor, not rejected', async () => {
    const { worker, runId } = await workingOn(app, person);
    const asked = await askApproval(worker, { run_id: runId, expires_in_seconds: 60 });
    await overdue(asked.id);
    await until(() => app.app.get(PeriodicJobs).runOnce('approvals'));
    expect((await person.api.get(`/approvals/${asked.id}`)).body).toMatchObject({
      state: 'expired',
      decided_by: null,
    });
    expect(await fetchAnswer(worker, asked.id)).toMatchObject({ state: 'expired' });
    expect((await readRun(person, runId)).status).toBe('running');
    expect(await eventsOf(person, runId)).toContain('approval_decided');
  });

  it('ends a wait when it is over, without the monitor', async () => {
    const agent = await createAgent(app, person);
    const asked = await askApproval(agent, { expires_in_seconds: 1 });
    expect((await fetchAnswer(agent, asked.id, 60)).state).toBe('expired');
  });
});
