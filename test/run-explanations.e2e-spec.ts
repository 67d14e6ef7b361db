import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, readRun, tell, type TestRun } from './builders/runs.js';
import { createSchedule } from './builders/schedules.js';
import { statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const listOf = async (person: Person, query = ''): Promise<TestRun[]> =>
  (await person.api.get(`/runs${query}`)).body;

/** Number of statements of a list, once nothing has to be looked up for the request any more. */
const statementsOfList = (person: Person, query: string, count: number) =>
  until(async () => {
    const sent = await statementsOf(app, () => listOf(person, query));
    return sent.length === count && sent;
  });

/** Its presence is stored at once; that of other calls within a second. */
const beat = ({ runtime }: TestAgent) => runtime.post('/agents/heartbeat', {});

async function makeOffline({ id }: TestAgent): Promise<string> {
  const [row] = await app.database.query<{ at: Date }>(
    `UPDATE agent_presence SET last_seen_at = now() - interval '1 hour', online_until = now() - interval '1 hour'
     WHERE agent_id = $1 RETURNING last_seen_at AS at`,
    [id],
  );
  return new Date(row!.at).toISOString();
}

describe('A list of runs', () => {
  it('says why each queued run waits, in the words of the run itself', async () => {
    const person = await registerPerson(app);
    const undeployed = await createAgent(app, person);
    const [away, idle, busy] = [
      await createWorker(app, person),
      await createWorker(app, person),
      await createWorker(app, person),
    ];
    const trigger = async (id: string) =>
      (await person.api.post(`/schedules/${id}/trigger`)).body.id as string;
    const { id: schedule } = await createSchedule(person, idle, { cron: '0 0 1 1 *' });
    const { id: held } = await ask(person, busy);
    await claim(busy);
    await tell(busy, { run_id: held, status: 'waiting', waiting_reason: 'approval' });
    for (const worker of [away, idle, busy]) await beat(worker);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const expected: readonly (readonly [string, string])[] = [
      [(await ask(person, undeployed)).id, 'the agent has no active deployment'],
      [(await ask(person, away)).id, `agent offline since ${await makeOffline(away)}`],
      [(await ask(person, idle)).id, 'waiting for the agent to take the run'],
      [(await ask(person, idle, { start_after: later })).id, `starts at ${later} or later`],
      [await trigger(schedule), 'waiting for the agent to take the run'],
      [await trigger(schedule), 'waiting for an earlier run of the same schedule to end'],
      [held, 'approval'],
      [(await ask(person, busy)).id, 'waiting for a free slot: the agent has 1 run'],
    ];
    const reasons = new Map((await listOf(person)).map(({ id, waiting_reason }) => [id, waiting_reason]));
    expect([...reasons].sort()).toEqual([...expected].sort());
    for (const [id, reason] of expected) expect((await readRun(person, id)).waiting_reason).toBe(reason);
  });

  it('costs one statement, one for the names of its actors, and one for all of its queued runs', async () => {
    const person = await registerPerson(app);
    const workers = [await createWorker(app, person), await createWorker(app, person)];
    for (const worker of workers) {
      const { id } = await ask(person, worker);
      await claim(worker);
      await tell(worker, { run_id: id, status: 'succeeded' });
    }
    const [list] = await statementsOfList(person, '', 2);
    expect(list!.text).not.toContain('agent_presence');
    for (const worker of workers) for (let count = 0; count < 5; count++) await ask(person, worker);
    await statementsOfList(person, '', 3);
    await statementsOfList(person, '?limit=3', 3);
    await statementsOfList(person, '?status=succeeded', 2);
  });

  it('continues after a page of queued runs where it ended', async () => {
    const person = await registerPerson(app);
    const worker = await createWorker(app, person);
    const asked: string[] = [];
    for (let count = 0; count < 3; count++) asked.unshift((await ask(person, worker)).id);
    const first = await person.api.get('/runs?limit=2');
    const [, query] = /\?([^>]*)>; rel="next"/.exec(first.headers.get('Link')!)!;
    const second = await person.api.get(`/runs?${query}`);
    expect([...first.body, ...second.body].map(({ id }: TestRun) => id)).toEqual(asked);
    expect(second.headers.get('Link') ?? '').not.toContain('rel="next"');
  });
});
