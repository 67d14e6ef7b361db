import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, tell } from './builders/runs.js';
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

const NONE = {
  queued: 0,
  running: 0,
  waiting: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  timed_out: 0,
  abandoned: 0,
};
const DAY = 'since=2026-03-01T00:00:00Z&until=2026-03-02T00:00:00Z';

const summary = (query = '') => person.api.get(`/agents/${worker.id}/runs/summary?${query}`);

/** Makes a run that ended with this status, and moves it to a time. @param times seconds that it waited and ran */
async function ended(status: string, at: string, [waited, ran]: readonly [number, number]): Promise<void> {
  const { id } = await ask(person, worker);
  await claim(worker);
  await tell(worker, { run_id: id, status });
  await app.database.query('DELETE FROM run_events WHERE run_id = $1', [id]);
  await app.database.query(
    `UPDATE runs SET id = overlay(id::text PLACING substr(uuid_floor, 1, 13) FROM 1 FOR 13)::uuid,
       queued_at = $2, available_at = $2, started_at = $2::timestamptz + make_interval(secs => $3),
       ended_at = $2::timestamptz + make_interval(secs => $3 + $4)
     FROM (SELECT substr(hex, 1, 8) || '-' || substr(hex, 9, 4) AS uuid_floor
       FROM (SELECT lpad(to_hex((extract(epoch FROM $2::timestamptz) * 1000)::bigint), 12, '0') AS hex) AS moment) AS floor
     WHERE id = $1`,
    [id, at, waited, ran],
  );
}

describe('GET /agents/{agent_id}/runs/summary', () => {
  it('counts the runs by status, with their times, in each bucket and in total', async () => {
    await ended('succeeded', '2026-03-01T09:10:00Z', [1, 10]);
    await ended('succeeded', '2026-03-01T09:50:00Z', [3, 30]);
    await ended('failed', '2026-03-01T11:00:00Z', [5, 50]);
    await ended('succeeded', '2026-03-02T00:00:00Z', [90, 90]);
    const { status, body } = await summary(DAY);
    expect(status).toBe(200);
    expect(body).toEqual({
      since: '2026-03-01T00:00:00.000Z',
      until: '2026-03-02T00:00:00.000Z',
      bucket: 'hour',
      total: {
        count: 3,
        by_status: { ...NONE, succeeded: 2, failed: 1 },
        waiting_seconds: { p50: 3, p95: expect.closeTo(4.8) },
        running_seconds: { p50: 30, p95: expect.closeTo(48) },
      },
      buckets: [
        {
          timestamp: '2026-03-01T09:00:00.000Z',
          count: 2,
          by_status: { ...NONE, succeeded: 2 },
          waiting_seconds: { p50: 2, p95: expect.closeTo(2.9) },
          running_seconds: { p50: 20, p95: expect.closeTo(29) },
        },
        {
          timestamp: '2026-03-01T11:00:00.000Z',
          count: 1,
          by_status: { ...NONE, failed: 1 },
          waiting_seconds: { p50: 5, p95: 5 },
          running_seconds: { p50: 50, p95: 50 },
        },
      ],
    });
    const daily = await summary('bucket=day&since=2026-03-01T00:00:00Z&until=2026-03-03T00:00:00Z');
    expect(daily.body.buckets.map(({ timestamp, count }: any) => [timestamp, count])).toEqual([
      ['2026-03-01T00:00:00.000Z', 3],
      ['2026-03-02T00:00:00.000Z', 1],
    ]);
  });

  it('covers the last day by default, and counts runs that have not begun or not ended', async () => {
    expect((await summary()).body).toMatchObject({
      total: { count: 0, by_status: NONE, waiting_seconds: null, running_seconds: null },
      buckets: [],
    });
    await ask(person, worker);
    await claim(worker);
    await ask(person, worker);
    await worker.runtime.post('/agents/runs', { runs: [{ run_key: 'own', status: 'running' }] });
    const { total } = (await summary()).body;
    expect(total).toMatchObject({
      by_status: { ...NONE, queued: 1, running: 2 },
      waiting_seconds: { p50: expect.any(Number) },
      running_seconds: null,
    });
  });

  it('refuses a range that is empty or too long for its buckets', async () => {
    const empty = await summary('since=2026-03-02&until=2026-03-01');
    expectError(empty, 422);
    expect(empty.body.message).toEqual(['since must be before until']);
    const long = await summary('since=2026-01-01&until=2026-03-01');
    expect(long.body.message).toEqual(['since must be at most 31 days before until with buckets of an hour']);
    expect((await summary('bucket=day&since=2026-01-01&until=2026-03-01')).status).toBe(200);
    expect((await summary('bucket=week')).status).toBe(422);
  });

  it("is a 404 for another project's agent", async () => {
    const stranger = await registerPerson(app);
    expectError(await stranger.api.get(`/agents/${worker.id}/runs/summary`), 404, 'Agent not found');
  });
});
