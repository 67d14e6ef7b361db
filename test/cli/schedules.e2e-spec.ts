import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { claim, createWorker, tell } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
  agent = await createAgent(app, ada, { name: 'reporter' });
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

const idsOf = async (...filters: string[]) =>
  (await svc.json(['schedules', 'list', ...filters])).map((schedule: { id: string }) => schedule.id);

const omit = (from: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

describe('svc schedules', () => {
  it('creates schedules by a cron expression or an interval, and shows when they are due', async () => {
    const shown = await svc.succeeds([
      ...['schedules', 'create', 'reporter', '--name', 'daily', '--cron', '0 9 * * MON-FRI'],
      ...['--timezone', 'Europe/Berlin', '--input', '{"report": "daily"}', '--label', 'team=billing'],
      ...['--priority', '7', '--timeout', '10m', '--overlap', 'queue', '--catch-up', 'one'],
    ]);
    expect(shown).toMatch(/^Due +0 9 \* \* MON-FRI in Europe\/Berlin$/m);
    expect(shown).toMatch(/^Next +in .*, at 20\S+Z$/m);
    expect(await svc.json(['schedules', 'get', 'daily'])).toMatchObject({
      agent_id: agent.id,
      input: { report: 'daily' },
      labels: { team: 'billing' },
      priority: 7,
      timeout_seconds: 600,
      overlap: 'queue',
      catch_up: 'one',
      is_active: true,
    });
    const every = ['schedules', 'create', 'reporter', '--every', '15m', '--paused'];
    expect(await svc.json(every)).toMatchObject({ every_seconds: 900, cron: null, is_active: false });
    for (const clocks of [[], ['--every', '1h', '--cron', '0 9 * * *']]) {
      const wrong = await svc.run(['schedules', 'create', 'reporter', ...clocks]);
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--cron or --every') });
    }
    const refused = await svc.run(['schedules', 'create', 'reporter', '--cron', 'each day']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('five fields') });
  });

  it('lists, pauses, resumes and deletes schedules', async () => {
    await createAgent(app, ada, { name: 'cleaner' });
    const { id } = await svc.json(['schedules', 'create', 'cleaner', '--every', '1h', '--name', 'clean']);
    expect(await idsOf('--agent-id', 'cleaner')).toEqual([id]);
    expect(await svc.succeeds(['schedules', 'pause', 'clean'])).toMatch(/^Next +paused$/m);
    expect(await idsOf('--agent-id', 'cleaner', '--active')).toEqual([]);
    expect(await idsOf('--agent-id', 'cleaner', '--paused')).toEqual([id]);
    const listed = await svc.succeeds(['schedules', 'list', '--agent-id', 'cleaner']);
    expect(listed).toMatch(
      /^SCHEDULE +AGENT +NAME +DUE +NEXT +LAST RUN +QUEUED\n\S+ +cleaner +clean +every 3600s +paused/,
    );
    expect(await svc.json(['schedules', 'resume', id.slice(0, 30)])).toMatchObject({ is_active: true });
    expect(await svc.succeeds(['complete', 'schedule', 'cle'])).toBe('clean\tcleaner, clean, active\n');
    const asked = await svc.run(['schedules', 'delete', 'clean']);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await svc.json(['schedules', 'delete', 'clean', '--yes'])).toEqual({ deleted: id });
    const gone = await svc.run(['schedules', 'get', 'clean']);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('"svc schedules list"') });
  });

  it('changes only the named properties of a schedule', async () => {
    const clock = ['--every', '1h', '--name', 'changed', '--timeout', '5m', '--label', 'team=billing'];
    const made = await svc.json(['schedules', 'create', 'reporter', ...clock, '--retry', '2']);
    expect(made).toMatchObject({ timeout_seconds: 300, retry: { max_attempts: 2 } });
    const update = (...options: string[]) => svc.json(['schedules', 'update', 'changed', ...options]);
    const due = ['--cron', '30 8 * * MON-FRI', '--timezone', 'Europe/Berlin'];
    const cron = { cron: '30 8 * * MON-FRI', every_seconds: null, timezone: 'Europe/Berlin' };
    expect(await update(...due)).toMatchObject({ ...cron, timeout_seconds: 300, retry: made.retry });
    const rules = ['--timeout', 'any', '--overlap', 'allow', '--catch-up', 'one', '--priority', '2'];
    const retries = ['--retry', '3', '--retry-delay', '1m', '--retry-abandoned'];
    const { updated_at, next_run_at, ...changed } = await update(
      ...rules,
      ...retries,
      ...['--input', '{"a": 1}', '--label', 'size=small', '--paused'],
    );
    expect(changed).toEqual({
      ...omit(made, 'updated_at', 'next_run_at'),
      ...cron,
      timeout_seconds: null,
      overlap: 'allow',
      catch_up: 'one',
      priority: 2,
      retry: { max_attempts: 3, first_delay_seconds: 60, abandoned: true },
      input: { a: 1 },
      labels: { size: 'small' },
      is_active: false,
    });
    expect([updated_at > made.updated_at, next_run_at]).toEqual([true, null]);
    expect(await svc.succeeds(['schedules', 'update', 'changed', '--active'])).toMatch(/^Next +in /m);
    for (const wrong of [[], ['--active', '--paused'], ['--cron', '0 9 * * *', '--every', '1h']])
      expect((await svc.run(['schedules', 'update', 'changed', ...wrong])).code).toBe(2);
    const refused = await svc.run(['schedules', 'update', 'changed', '--timezone', 'Mars/Base']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('time zone') });
  });

  it('triggers a run of a schedule, and waits for its output', async () => {
    const worker = await createWorker(app, ada, { name: 'worker' });
    await svc.succeeds(['schedules', 'create', 'worker', '--every', '1h', '--name', 'hourly', '--paused']);
    const running = svc.start(['schedules', 'trigger', 'hourly', '--wait']);
    const [run] = await claim(worker, { wait: 20 });
    await tell(worker, { run_id: run!.run_id, status: 'succeeded', output: 'done' });
    expect(await running.ended()).toMatchObject({ code: 0, stdout: 'done\n' });
    const ofRun = await svc.succeeds(['runs', 'get', run!.run_id as string]);
    expect(ofRun).toMatch(/^Source +schedule$/m);
    expect(ofRun).toMatch(/^Schedule +[\da-f-]{36}$/m);
    const shown = await svc.succeeds(['schedules', 'get', 'hourly']);
    expect(shown).toMatch(new RegExp(`^Last run +${run!.run_id as string}, succeeded, `, 'm'));
  });
});
