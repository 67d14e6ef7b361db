import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { ask, createWorker } from './builders/runs.js';
import { createSchedule, lookAtClock, makeDue, readSchedule, runsOf } from './builders/schedules.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Due on the first of January: no test meets that time, unless it moves it. */
const YEARLY = { cron: '0 0 1 1 *' };
const MAXIMUM = 4;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { MAX_SCHEDULES_PER_PROJECT: `${MAXIMUM}` } });
});

beforeEach(async () => {
  person = await registerPerson(app);
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await app.close();
});

describe('A schedule', () => {
  it('is made with the requested properties, and shows its next due time', async () => {
    const agent = await createAgent(app, person, { name: 'reporter' });
    const asked = {
      name: 'daily report',
      cron: '30 9 1 1 *',
      timezone: 'Asia/Kolkata',
      input: { report: 'daily' },
      labels: { team: 'a' },
      priority: 7,
      timeout_seconds: 60,
      retry: { max_attempts: 3, first_delay_seconds: 10, abandoned: true },
      overlap: 'queue',
      catch_up: 'one',
    };
    const made = await createSchedule(person, agent, asked);
    expect(made).toMatchObject({
      ...asked,
      agent_id: agent.id,
      agent_name: 'reporter',
      project_id: person.id,
      every_seconds: null,
      is_active: true,
      next_run_at: expect.stringMatching(/^\d{4}-01-01T04:00:00\.000Z$/),
      last_run: null,
    });
    const year = Number(made.next_run_at!.slice(0, 4));
    expect(await readSchedule(person, made.id)).toEqual({
      ...made,
      next_runs: [0, 1, 2, 3, 4].map((later) => `${year + later}-01-01T04:00:00.000Z`),
    });
  });

  it('has defaults for all but its clock', async () => {
    const before = Date.now();
    const made = await createSchedule(person, await createAgent(app, person), {
      cron: null,
      every_seconds: 60,
    });
    expect(made).toMatchObject({
      name: null,
      cron: null,
      every_seconds: 60,
      timezone: 'UTC',
      input: null,
      labels: {},
      priority: 5,
      timeout_seconds: null,
      retry: { max_attempts: 1, first_delay_seconds: 0, abandoned: false },
      overlap: 'skip',
      catch_up: 'none',
    });
    expect(Math.abs(Date.parse(made.next_run_at!) - before - 60_000)).toBeLessThan(30_000);
  });

  it.each([
    [{}, 'cron or every_seconds must be given'],
    [{ ...YEARLY, every_seconds: 60 }, 'cron and every_seconds must not be given together'],
    [
      { cron: '61 * * * *' },
      'cron must be five fields such as "0 9 * * MON-FRI": Invalid value for minute: 61',
    ],
    [{ cron: '* * * * * *' }, 'cron must be five fields'],
    [{ cron: '0 0 31 2 *' }, 'it matches no date'],
    [{ ...YEARLY, timezone: 'Mars/Olympus' }, 'timezone must be the name of a time zone'],
    [{ ...YEARLY, timezone: '+02:00' }, 'timezone must be the name of a time zone'],
    [{ every_seconds: 9 }, 'every_seconds must'],
    [{ ...YEARLY, overlap: 'stop' }, 'overlap must'],
    [{ ...YEARLY, catch_up: 'all' }, 'catch_up must'],
    [{ ...YEARLY, labels: null }, 'labels must'],
  ])('of %j is a 422 that says why', async (body, message) => {
    const agent = await createAgent(app, person);
    const reply = await person.api.post(`/agents/${agent.id}/schedules`, body);
    expect([reply.status, JSON.stringify(reply.body).replaceAll('\\"', '"')]).toEqual([
      422,
      expect.stringContaining(message),
    ]);
  });

  it('is refused past the maximum number of a project', async () => {
    const agent = await createAgent(app, person);
    for (let made = 0; made < MAXIMUM; made++) await createSchedule(person, agent, YEARLY);
    const reply = await person.api.post(`/agents/${agent.id}/schedules`, YEARLY);
    expect([reply.status, reply.body.message]).toEqual([
      409,
      `The project has ${MAXIMUM} schedules, the maximum: delete one first`,
    ]);
  });

  it('is found by its agent, its project and its state', async () => {
    const [one, other] = [await createAgent(app, person), await createAgent(app, person)];
    const active = await createSchedule(person, one, YEARLY);
    const paused = await createSchedule(person, one, { ...YEARLY, is_active: false });
    const elsewhere = await createSchedule(person, other, YEARLY);
    const found = async (query: string) =>
      ((await person.api.get(`/schedules?${query}`)).body as { id: string }[]).map(({ id }) => id);
    expect(await found('')).toEqual([elsewhere.id, paused.id, active.id]);
    expect(await found(`agent_id=${one.id}`)).toEqual([paused.id, active.id]);
    expect(await found(`project_id=${person.id}&is_active=true`)).toEqual([elsewhere.id, active.id]);
    expect(await found('is_active=false')).toEqual([paused.id]);
    const stranger = await registerPerson(app);
    expect((await stranger.api.get('/schedules')).body).toEqual([]);
    expect((await stranger.api.get(`/schedules?project_id=${person.id}`)).status).toBe(404);
  });
});

describe('A change of a schedule', () => {
  it('computes the next due time again when the clock changes', async () => {
    const { id, next_run_at: first } = await createSchedule(person, await createAgent(app, person), YEARLY);
    const change = async (body: object) => (await person.api.patch(`/schedules/${id}`, body)).body;
    expect(await change({ name: 'yearly', timeout_seconds: 5 })).toMatchObject({
      name: 'yearly',
      timeout_seconds: 5,
      next_run_at: first,
    });
    expect(await change({ name: null, timeout_seconds: null })).toMatchObject({
      name: null,
      timeout_seconds: null,
    });
    const zoned = await change({ timezone: 'Asia/Kolkata' });
    expect(Date.parse(first!) - Date.parse(zoned.next_run_at)).toBe(5.5 * 3_600_000);
    expect(await change({ every_seconds: 60 })).toMatchObject({ cron: null, every_seconds: 60 });
    expect(await change({ cron: '0 0 1 2 *' })).toMatchObject({
      every_seconds: null,
      next_run_at: expect.stringMatching(/-01-31T18:30:00\.000Z$/),
    });
  });

  it('is a 422 with a message when the clock is invalid', async () => {
    const { id } = await createSchedule(person, await createAgent(app, person), YEARLY);
    const refused = async (body: object) => (await person.api.patch(`/schedules/${id}`, body)).status;
    expect(await refused({ cron: 'soon' })).toBe(422);
    expect(await refused({ cron: null })).toBe(422);
    expect(await refused({ cron: '0 0 1 2 *', every_seconds: 60 })).toBe(422);
    expect(await refused({ timezone: 'Nowhere' })).toBe(422);
  });

  it('pauses it, and continues it from then', async () => {
    const agent = await createAgent(app, person);
    const { id, next_run_at: next } = await createSchedule(person, agent, YEARLY);
    const paused = await person.api.patch(`/schedules/${id}`, { is_active: false });
    expect(paused.body).toMatchObject({ is_active: false, next_run_at: null });
    expect(await readSchedule(person, id)).toMatchObject({ next_runs: [] });
    await lookAtClock(app);
    expect(await runsOf(person, agent)).toEqual([]);
    const resumed = await person.api.patch(`/schedules/${id}`, { is_active: true });
    expect(resumed.body).toMatchObject({ is_active: true, next_run_at: next });
  });

  it('is in the audit log, as are its making, its trigger and its end', async () => {
    const { id } = await createSchedule(person, await createAgent(app, person), YEARLY);
    await person.api.patch(`/schedules/${id}`, { name: 'x' });
    await person.api.post(`/schedules/${id}/trigger`);
    await person.api.delete(`/schedules/${id}`);
    const entries = (await person.api.get(`/audit?target_id=${id}`)).body as { action: string }[];
    expect(entries.map(({ action }) => action)).toEqual([
      'schedule.delete',
      'schedule.trigger',
      'schedule.update',
      'schedule.create',
    ]);
  });
});

describe('The end of a schedule', () => {
  it('leaves the runs that it has made, and makes no further one', async () => {
    const agent = await createAgent(app, person);
    const { id } = await createSchedule(person, agent, YEARLY);
    await makeDue(app, id, 1);
    await lookAtClock(app);
    expect((await person.api.delete(`/schedules/${id}`)).status).toBe(204);
    expect((await person.api.get(`/schedules/${id}`)).status).toBe(404);
    expect((await person.api.post(`/schedules/${id}/trigger`)).status).toBe(404);
    expect(await runsOf(person, agent)).toMatchObject([{ status: 'queued', schedule_id: id }]);
  });

  it('is that of its agent', async () => {
    const agent = await createAgent(app, person);
    const { id } = await createSchedule(person, agent, YEARLY);
    await person.api.delete(`/agents/${agent.id}`);
    expect((await person.api.get(`/schedules/${id}`)).status).toBe(404);
    expect((await person.api.get('/schedules')).body).toEqual([]);
    expect((await person.api.patch(`/schedules/${id}`, { name: 'x' })).status).toBe(404);
  });
});

describe('A handover of an agent', () => {
  it('hands its schedules over, which continue there', async () => {
    const agent = await createAgent(app, person);
    const { id } = await createSchedule(person, agent, YEARLY);
    const projectId = await createProject(person, 'to');
    await person.api.patch(`/agents/${agent.id}`, { project_id: projectId });
    expect(await readSchedule(person, id)).toMatchObject({ project_id: projectId });
    expect((await person.api.get(`/schedules?project_id=${person.id}`)).body).toEqual([]);
    await makeDue(app, id, 1);
    await lookAtClock(app);
    expect(await runsOf(person, agent)).toMatchObject([{ project_id: projectId, schedule_id: id }]);
  });
});

describe('A trigger', () => {
  it('makes a run next to the due times, also while the schedule is paused', async () => {
    const worker = await createWorker(app, person);
    const { id, next_run_at: next } = await createSchedule(person, worker, { ...YEARLY, input: 7 });
    const first = await person.api.post(`/schedules/${id}/trigger`);
    expect([first.status, first.body]).toMatchObject([
      201,
      { status: 'queued', source: 'schedule', schedule_id: id, actor: `user:${person.id}`, input: 7 },
    ]);
    expect(await readSchedule(person, id)).toMatchObject({
      next_run_at: next,
      last_run: { id: first.body.id },
    });
    await person.api.patch(`/schedules/${id}`, { is_active: false });
    expect((await person.api.post(`/schedules/${id}/trigger`)).status).toBe(201);
    expect((await ask(person, worker)).schedule_id).toBeNull();
  });
});
