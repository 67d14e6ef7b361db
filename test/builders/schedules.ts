import { PeriodicJobs } from '../../src/database/periodic-jobs.js';
import type { TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import type { TestAgent } from './agents.js';
import type { Person } from './people.js';
import type { TestRun } from './runs.js';

/** A schedule as people see it. */
export interface TestSchedule {
  readonly id: string;
  readonly next_run_at: string | null;
  readonly [field: string]: unknown;
}

/** Has an agent asked for runs by a clock. */
export async function createSchedule(
  person: Person,
  { id }: Pick<TestAgent, 'id'>,
  body: object = {},
): Promise<TestSchedule> {
  const reply = await person.api.post(`/agents/${id}/schedules`, { cron: '* * * * *', ...body });
  if (reply.status !== 201)
    throw new Error(`The schedule answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

export async function readSchedule(person: Person, id: string): Promise<TestSchedule> {
  const reply = await person.api.get(`/schedules/${id}`);
  if (reply.status !== 200)
    throw new Error(`The schedule answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Moves the next due time of a schedule, as if that time had passed. @returns it */
export async function makeDue(
  app: Pick<TestApp, 'database'>,
  id: string,
  secondsAgo: number,
): Promise<string> {
  const [row] = await app.database.query<{ at: Date }>(
    `UPDATE schedules SET next_run_at = date_trunc('second', now()) - make_interval(secs => $2) WHERE id = $1
     RETURNING next_run_at AS at`,
    [id, secondsAgo],
  );
  return new Date(row!.at).toISOString();
}

/** Lets an instance look at the clock once. */
export async function lookAtClock(app: TestApp): Promise<void> {
  await until(() => app.app.get(PeriodicJobs).runOnce('schedules'));
}

/** The runs of an agent, newest first. */
export async function runsOf(person: Person, { id }: Pick<TestAgent, 'id'>): Promise<TestRun[]> {
  return (await person.api.get(`/runs?agent_id=${id}`)).body;
}
