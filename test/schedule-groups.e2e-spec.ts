import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createSchedule, lookAtClock, runsOf } from './builders/schedules.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** More than one transaction takes. */
const MANY = 120;
const QUEUE = 50;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_QUEUED_RUNS_PER_AGENT: `${QUEUE}` } });
  person = await registerPerson(app);
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await app.close();
});

/** Makes copies of a schedule, and lets the due times of all of them come at once. */
async function multiply(id: string, copies: number): Promise<void> {
  await app.database.query(
    `INSERT INTO schedules SELECT (jsonb_populate_record(schedule,
       jsonb_build_object('id', gen_random_uuid(), 'name', format('copy %s', copy)))).*
     FROM schedules AS schedule CROSS JOIN generate_series(1, $2) AS copy WHERE schedule.id = $1`,
    [id, copies],
  );
  await app.database.query(
    `UPDATE schedules SET next_run_at = date_trunc('second', now()) - interval '1 second'
     WHERE agent_id = (SELECT agent_id FROM schedules WHERE id = $1)`,
    [id],
  );
}

const later = async (agentId: string) =>
  (
    await app.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM schedules WHERE agent_id = $1 AND next_run_at > now()',
      [agentId],
    )
  )[0]!.count;

const countOf = async (agentId: string) =>
  (
    await app.database.query<{ count: number }>(
      `SELECT count(DISTINCT (schedule_id, due_at, actor))::int AS count FROM runs
       WHERE agent_id = $1 AND actor = 'schedule:' || schedule_id`,
      [agentId],
    )
  )[0]!.count;

describe('Many schedules that are due at once', () => {
  it('make a run each, in one round, with the schedule as the actor', async () => {
    const agents = await Promise.all([1, 2, 3].map(() => createAgent(app, person)));
    for (const agent of agents) {
      const { id } = await createSchedule(person, agent, { cron: null, every_seconds: 3_600 });
      await multiply(id, MANY / 3 - 1);
    }
    await lookAtClock(app);
    for (const { id } of agents) expect([await countOf(id), await later(id)]).toEqual([MANY / 3, MANY / 3]);
  });

  it('of an agent make no more runs than its queue takes', async () => {
    const agent = await createAgent(app, person);
    const { id } = await createSchedule(person, agent, { cron: null, every_seconds: 3_600 });
    await multiply(id, QUEUE + 19);
    await lookAtClock(app);
    expect([await countOf(agent.id), await later(agent.id)]).toEqual([QUEUE, QUEUE + 20]);
  });

  it('make their runs although one of them fails', async () => {
    const agent = await createAgent(app, person);
    const { id } = await createSchedule(person, agent, { cron: '0 * * * *' });
    await multiply(id, 9);
    // as if the time zone were known no more
    await app.database.query(`UPDATE schedules SET timezone = 'Mars/Base' WHERE id = $1`, [id]);
    await lookAtClock(app);
    expect([await countOf(agent.id), await later(agent.id)]).toEqual([9, 9]);
    expect((await runsOf(person, agent)).map(({ schedule_id: of }) => of)).not.toContain(id);
    await app.database.query(`UPDATE schedules SET timezone = 'UTC' WHERE id = $1`, [id]);
    await lookAtClock(app);
    expect(await countOf(agent.id)).toBe(10);
  });
});
