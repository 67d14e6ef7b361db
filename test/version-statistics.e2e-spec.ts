import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, tell } from './builders/runs.js';
import { deploy } from './builders/agents.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;
let worker: Awaited<ReturnType<typeof createWorker>>;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

beforeEach(async () => {
  worker = await createWorker(app, person);
});

afterAll(() => app.close());

const read = (query = '', who = person) => who.api.get(`/agents/${worker.id}/runs/config-versions?${query}`);
async function versionsOf(query = ''): Promise<any[]> {
  const { status, body } = await read(query);
  expect([query, status]).toEqual([query, 200]);
  return body.versions;
}

/** Makes a run that ended with this status after so many seconds. @returns its id */
async function ended(status: string, seconds: number, usage: readonly object[] = []): Promise<string> {
  const { id } = await ask(person, worker);
  await claim(worker);
  if (usage.length > 0)
    await worker.runtime.post('/agents/usage', { usage: usage.map((entry) => ({ run_id: id, ...entry })) });
  await tell(worker, { run_id: id, status });
  await app.database.query(
    'UPDATE runs SET ended_at = started_at + make_interval(secs => $2) WHERE id = $1',
    [id, seconds],
  );
  return id;
}

/** Saves another config, and deploys it in the place of the present one. */
async function deployNextVersion(): Promise<void> {
  await person.api.patch(`/agents/${worker.id}`, { config: { run: { command: ['true'] } } });
  await person.api.post(`/agents/${worker.id}/stop`);
  await deploy(person, worker);
}

const NOTHING = {
  runs: 0,
  succeeded: 0,
  failed: 0,
  success_rate: null,
  running_seconds: null,
  cost_usd: '0.000000',
  cost_usd_per_run: null,
  uncosted_calls: 0,
};

describe('GET /agents/{agent_id}/runs/config-versions', () => {
  it('contains the outcomes, times and cost of the runs of each version', async () => {
    await ended('succeeded', 10, [{ model: 'm', cost_usd: '0.25' }, { model: 'n' }]);
    await ended('succeeded', 20, [{ model: 'm', cost_usd: '0.05' }]);
    await ended('failed', 30);
    await deployNextVersion();
    await ended('cancelled', 2, [{ model: 'm', cost_usd: '0.000003' }]);
    await ask(person, worker);
    await claim(worker);
    await ask(person, worker);
    expect(await versionsOf()).toEqual([
      {
        ...NOTHING,
        config_version: 2,
        runs: 2,
        running_seconds: { p50: 2, p95: 2 },
        cost_usd: '0.000003',
        cost_usd_per_run: '0.000002',
      },
      {
        config_version: 1,
        runs: 3,
        succeeded: 2,
        failed: 1,
        success_rate: expect.closeTo(2 / 3),
        running_seconds: { p50: 20, p95: expect.closeTo(29) },
        cost_usd: '0.300000',
        cost_usd_per_run: '0.100000',
        uncosted_calls: 1,
      },
    ]);
  });

  it('covers the named versions, those without runs as well', async () => {
    await ended('succeeded', 1);
    const named = await versionsOf('config_version=1&config_version=7');
    expect(named).toEqual([
      { ...NOTHING, config_version: 7 },
      expect.objectContaining({ config_version: 1, runs: 1, success_rate: 1 }),
    ]);
    expect(await versionsOf('config_version=2')).toEqual([{ ...NOTHING, config_version: 2 }]);
  });

  it('covers the runs created in a time, by default the last 30 days', async () => {
    const id = await ended('succeeded', 1);
    await app.database.query('DELETE FROM run_events WHERE run_id = $1', [id]);
    await app.database.query(
      `UPDATE runs SET id = overlay(id::text PLACING '019c0000-0000' FROM 1 FOR 13)::uuid,
         queued_at = '2026-01-27T12:49:58.784Z' WHERE id = $1`,
      [id],
    );
    const { body } = await read();
    expect([body.versions, Date.parse(body.until) - Date.parse(body.since)]).toEqual([[], 30 * 86_400_000]);
    expect(await versionsOf('since=2026-01-27&until=2026-01-28')).toMatchObject([{ runs: 1 }]);
  });

  it('refuses a range that is empty or too long, and an invalid list of versions', async () => {
    const long = await read('since=2025-01-01&until=2026-03-01');
    expect(long.body.message).toEqual(['since must be at most 366 days before until']);
    const queries = [
      'since=2026-03-02&until=2026-03-01',
      'config_version=x',
      'config_version=0',
      'config_version=3,4',
      'config_version=1&config_version=1',
      Array.from({ length: 21 }, (_, index) => `config_version=${index + 1}`).join('&'),
    ];
    for (const query of queries) expect([query, (await read(query)).status]).toEqual([query, 422]);
  });

  it("is a 404 for another project's agent", async () => {
    expectError(await read('', await registerPerson(app)), 404, 'Agent not found');
  });
});
