import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { beginRemoval, createAgent, report } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, tell } from './builders/runs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: no';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
});

beforeEach(async () => {
  person = await registerPerson(app);
});

afterAll(() => app.close());

const overview = async (query = '') => {
  const { status, body } = await person.api.get(`/overview${query}`);
  expect(status).toBe(200);
  const { runs_by_status, failed_runs, recovered } = body;
  const { agents_with_failed_runs, agents_with_waiting_runs } = body;
  return { runs_by_status, failed_runs, recovered, agents_with_failed_runs, agents_with_waiting_runs };
};
const makeDue = (id: string, age: string) =>
  app.database.query(`UPDATE runs SET available_at = now() - $2::interval WHERE id = $1`, [id, age]);
const AT = expect.stringMatching(/^20.*Z$/);

const NOTHING_RECOVERED = { agents: 0, failures: 0, agents_with_failed_runs: 0, failed_runs: 0 };
const NO_USAGE = {
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  llm_calls: 0,
  tool_calls: 0,
  tool_errors: 0,
  cost_usd: '0.000000',
  uncosted_calls: 0,
};

describe('The overview', () => {
  it('counts zero for a user without agents', async () => {
    const { status, body } = await person.api.get('/overview');
    expect(status).toBe(200);
    expect(body).toEqual({
      agents_by_health: {
        idle: 0,
        paused: 0,
        healthy: 0,
        progressing: 0,
        degraded: 0,
        failing: 0,
        offline: 0,
      },
      agents_by_connection: { never_connected: 0, online: 0, offline: 0 },
      failing_agents: [],
      recovered: NOTHING_RECOVERED,
      silent_agent_count: 0,
      silent_agents: [],
      outdated_agent_count: 0,
      deployments_by_status: { deploying: 0, running: 0, ready: 0, stopped: 0, failed: 0, killed: 0 },
      failures: 0,
      waiting_commands: 0,
      oldest_waiting_commands: [],
      runs_by_status: { queued: 0, running: 0, waiting: 0 },
      failed_runs: 0,
      agents_whose_runs_fail: 0,
      agents_with_failed_runs: [],
      agents_whose_runs_wait: 0,
      agents_with_waiting_runs: [],
      strained_budget_count: 0,
      strained_budgets: [],
      exceeded_quota_count: 0,
      exceeded_quotas: [],
      pending_approvals: 0,
      agents_with_pending_approvals: [],
      failing_webhooks: [],
      spending: { today: NO_USAGE, this_month: NO_USAGE },
    });
  });
});

describe('The overview of runs', () => {
  it('counts open runs, and names the agents whose runs fail', async () => {
    const [worker, better] = [await createWorker(app, person), await createWorker(app, person)];
    for (const status of ['succeeded', 'failed', 'failed']) {
      const { id } = await ask(person, worker);
      await claim(worker);
      await tell(worker, { run_id: id, attempt: 1, status, ...(status === 'failed' && { error: TRACE }) });
    }
    const { id: waits } = await ask(person, worker);
    await claim(worker);
    await tell(worker, { run_id: waits, attempt: 1, status: 'waiting' });
    await ask(person, better);
    await claim(better);
    await better.runtime.post('/agents/register', {});
    await ask(person, better);
    await claim(better);
    await ask(person, better);
    expect(await overview()).toEqual({
      runs_by_status: { queued: 1, running: 1, waiting: 1 },
      failed_runs: 3,
      recovered: NOTHING_RECOVERED,
      agents_with_failed_runs: [
        { agent_id: worker.id, agent_name: expect.any(String), runs: 2, at: AT, error: 'ValueError: no' },
        { agent_id: better.id, agent_name: expect.any(String), runs: 1, at: AT, error: expect.any(String) },
      ],
      agents_with_waiting_runs: [],
    });
  });

  it('omits agents of which a later run has succeeded, and those that fail themselves', async () => {
    const [recovered, failing] = [await createWorker(app, person), await createWorker(app, person)];
    for (const [worker, status] of [
      [recovered, 'failed'],
      [recovered, 'succeeded'],
      [failing, 'failed'],
    ] as const) {
      const { id } = await ask(person, worker);
      await claim(worker);
      await tell(worker, { run_id: id, attempt: 1, status });
    }
    const [deployment] = (await person.api.get(`/deployments?agent_id=${failing.id}`)).body;
    await report(failing, deployment.id, { status: 'failed', error_message: 'no' });
    const { body } = await person.api.get('/overview');
    expect(body).toMatchObject({
      failed_runs: 2,
      agents_whose_runs_fail: 0,
      agents_with_failed_runs: [],
      recovered: { agents_with_failed_runs: 1, failed_runs: 1 },
      failing_agents: [{ agent_id: failing.id, failed_runs: 1, error: 'no' }],
    });
  });

  it('names the agents whose runs have been due for long, the oldest first', async () => {
    const [first, second, third] = [
      await createAgent(app, person),
      await createAgent(app, person),
      await createAgent(app, person),
    ];
    for (const [agent, age] of [
      [second, '11 minutes'],
      [second, '12 minutes'],
      [first, '1 hour'],
      [third, '9 minutes'],
    ] as const)
      await makeDue((await ask(person, agent)).id, age);
    await ask(person, third, { start_after: new Date(Date.now() + 60_000).toISOString() });
    const { agents_with_waiting_runs: waiting, runs_by_status: counts } = await overview();
    expect(counts).toEqual({ queued: 5, running: 0, waiting: 0 });
    expect(waiting).toMatchObject([
      { agent_id: first.id, runs: 1, at: AT },
      { agent_id: second.id, runs: 2, at: AT },
    ]);
  });

  it('leaves out runs of other people, of an older day and of agents that are being removed', async () => {
    const [old, removed] = [await createWorker(app, person), await createWorker(app, person)];
    for (const worker of [old, removed]) {
      const { id } = await ask(person, worker);
      await claim(worker);
      await tell(worker, { run_id: id, attempt: 1, status: 'failed' });
      await ask(person, worker);
    }
    // the id of a run says when it was asked for
    await app.database.query('DELETE FROM run_events USING runs WHERE run_id = runs.id AND agent_id = $1', [
      old.id,
    ]);
    await app.database.query(
      `UPDATE runs SET id = ('00000000-0000-7000-8000-' || right(id::text, 12))::uuid WHERE agent_id = $1 AND status = 'failed'`,
      [old.id],
    );
    await beginRemoval(app.database, removed.id);
    const stranger = await registerPerson(app);
    await ask(stranger, await createAgent(app, stranger));
    const expected = {
      runs_by_status: { queued: 1, running: 0, waiting: 0 },
      failed_runs: 0,
      recovered: NOTHING_RECOVERED,
      agents_with_failed_runs: [],
      agents_with_waiting_runs: [],
    };
    expect(await overview()).toEqual(expected);
    expect(await overview(`?project_id=${person.id}`)).toEqual(expected);
  });
});

describe('The last day', () => {
  it("has the caller's runs, failures, cost and agents online by the hour", async () => {
    const [worker, other] = [await createWorker(app, person), await createWorker(app, person)];
    for (const status of ['failed', 'succeeded']) {
      const { id } = await ask(person, worker);
      await claim(worker);
      await tell(worker, { run_id: id, attempt: 1, status });
    }
    const usage = [{ model: 'home-made', output_tokens: 3, cost_usd: '0.25' }];
    await worker.runtime.post('/agents/usage', { usage });
    const [deployment] = (await person.api.get(`/deployments?agent_id=${other.id}`)).body;
    await report(other, deployment.id, { status: 'failed' });
    const count = () => until(() => app.app.get(PeriodicJobs).runOnce('agentsOnline'));
    // Calls other than heartbeats are written once a second.
    await until(async () => (await person.api.get('/overview')).body.agents_by_connection.online === 2);
    await count();
    const dayOf = async ({ api }: Person): Promise<any[]> => (await api.get('/overview/day')).body.hours;
    const hours = await dayOf(person);
    expect(hours).toHaveLength(24);
    const [first, last] = [hours[0], hours.at(-1)];
    expect(Date.parse(last.hour) - Date.parse(first.hour)).toBe(23 * 3_600_000);
    // The hour may be over by now.
    const sums = (name: string) => hours.reduce((sum, hour) => sum + Number(hour[name]), 0);
    expect(['runs', 'failed_runs', 'failures', 'cost_usd'].map(sums)).toEqual([2, 1, 1, 0.25]);
    expect(first).toMatchObject({ runs: 0, failures: 0, cost_usd: '0.000000', agents_online: null });
    const online = async () => (await dayOf(person)).flatMap(({ agents_online: it }) => it ?? []).at(-1);
    expect(await online()).toBe(2);
    await app.database.query(
      'UPDATE agent_presence SET online_since = NULL, losses = 1 WHERE agent_id = $1',
      [other.id],
    );
    await count();
    expect(await online()).toBe(1);
    expect((await dayOf(await registerPerson(app))).at(-1)).toMatchObject({ runs: 0, agents_online: null });
  });
});
