import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, claim, createWorker, readRun, tell, type TestRun } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

const UNKNOWN = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';

describe('svc runs create', () => {
  it('asks an agent for a run, and says why it waits', async () => {
    const agent = await createAgent(app, ada, { name: 'idle' });
    const shown = await svc.succeeds([
      ...['runs', 'create', 'idle', '--input', 'How many?', '--name', 'count', '--label', 'team=billing'],
      ...['--priority', '9', '--timeout', '5m', '--conversation', 'ticket-1'],
    ]);
    expect(shown).toMatch(/^Status +queued$/m);
    expect(shown).toMatch(/^Waits +the agent has no active deployment$/m);
    expect(shown).toMatch(/^Input +How many\?$/m);
    const [run] = (await ada.api.get(`/runs?agent_id=${agent.id}`)).body;
    expect(run).toMatchObject({
      input: 'How many?',
      name: 'count',
      labels: { team: 'billing' },
      priority: 9,
      timeout_seconds: 300,
      conversation_id: 'ticket-1',
    });
    const bare = await svc.json(['runs', 'create', 'idle']);
    expect(bare).toMatchObject({ status: 'queued', input: null, name: null, labels: {}, priority: 5 });
  });

  it('says when a run may begin, until when it must have begun, and how often it is tried', async () => {
    await createAgent(app, ada, { name: 'patient' });
    const times = ['--start-after', '1h', '--expires-at', '2036-01-31T09:30:00Z'];
    const retries = ['--retry', '3', '--retry-delay', '1m', '--retry-abandoned'];
    const { id } = await svc.json(['runs', 'create', 'patient', ...times, ...retries]);
    const [row] = await app.database.query<Record<string, any>>(
      `SELECT available_at - now() BETWEEN interval '59 minutes' AND interval '1 hour' AS "isLater",
         expires_at AS "expiresAt", max_attempts AS attempts, first_delay_seconds AS delay, retries_abandoned AS abandoned
       FROM runs WHERE id = $1`,
      [id],
    );
    expect(row).toMatchObject({ isLater: true, attempts: 3, delay: 60, abandoned: true });
    expect(new Date(row!.expiresAt).toISOString()).toBe('2036-01-31T09:30:00.000Z');
    const alone = await svc.run(['runs', 'create', 'patient', '--retry-delay', '1m']);
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('need --retry, the number of attempts'),
    });
    expect((await svc.run(['runs', 'create', 'patient', '--start-after', 'soon'])).code).toBe(2);
  });

  it('sends JSON of the command line, a file or standard input as JSON', async () => {
    await createAgent(app, ada, { name: 'fed' });
    const file = join(svc.home, 'input');
    const inputOf = async (given: string, input?: string) =>
      (await svc.json(['runs', 'create', 'fed', '--input', given], { input })).input;
    await writeFile(file, '{"q": [1]}\n');
    expect(await inputOf(`@${file}`)).toEqual({ q: [1] });
    expect(await inputOf('{"q": 1}')).toEqual({ q: 1 });
    expect(await inputOf('-', '42\n')).toBe(42);
    expect(await inputOf('-', 'two\nlines\n')).toBe('two\nlines');
    expect(await inputOf('{q: 1}\n')).toBe('{q: 1}\n');
    const missing = await svc.run(['runs', 'create', 'fed', '--input', `@${file}.absent`]);
    expect(missing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('ENOENT') });
  });

  it('names the next step if the agent or the time does not exist', async () => {
    const unknown = await svc.run(['runs', 'create', 'nobody']);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('svc agents list') });
    const wrong = await svc.run(['runs', 'create', UNKNOWN, '--wait', 'long']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('30s, 5m') });
    expect((await svc.run(['runs', 'create', UNKNOWN, '--priority', '10'])).code).toBe(2);
  });
});

describe('svc runs list and svc runs get', () => {
  let worker: TestAgent;
  let runs: TestRun[];

  beforeAll(async () => {
    worker = await createWorker(app, ada, { name: 'listed' });
    runs = [];
    for (const body of [
      { name: 'first', input: { q: 1 }, conversation_id: 'c-1', labels: { team: 'billing' } },
      { name: 'second' },
      {},
    ])
      runs.push(await ask(ada, worker, body));
    await claim(worker, { limit: 1 });
    await tell(worker, {
      run_id: runs[0]!.id,
      status: 'running',
      progress: { percent: 40, message: 'page 4' },
    });
    // A heartbeat's presence is stored at once.
    await worker.runtime.post('/agents/heartbeat', {});
  });

  it('list the runs that match all filters, newest first', async () => {
    const idsOf = async (...filters: string[]) =>
      (await svc.json(['runs', 'list', '--agent-id', 'listed', ...filters])).map((run: TestRun) => run.id);
    const [first, second, third] = runs.map(({ id }) => id);
    expect(await idsOf()).toEqual([third, second, first]);
    expect(await idsOf('--all')).toEqual([third, second, first]);
    expect(await idsOf('--skip', '1', '--limit', '1')).toEqual([second]);
    expect(await idsOf('--status', 'queued', '--text', 'SEC')).toEqual([second]);
    expect(await idsOf('--conversation', 'c-1', '--label', 'team=billing', '--source', 'api')).toEqual([
      first,
    ]);
    expect(await idsOf('--config-version', '1', '--deployment-id', 'listed')).toEqual([first]);
    expect(await idsOf('--until', '1h')).toEqual([]);
    const table = await svc.succeeds(['runs', 'list', '--agent-id', worker.id]);
    expect(table).toMatch(/^RUN +AGENT +NAME +STATUS +QUEUED +TOOK +DETAIL\n/);
    expect(table).toMatch(new RegExp(`^${first} +listed +first +running +.* 40 %, page 4$`, 'm'));
    const reason = 'waiting for a free slot: the agent has 1 run';
    expect(table).toMatch(new RegExp(`^${second} +listed +second +queued +.* ${reason}$`, 'm'));
    const none = await svc.run(['runs', 'list', '--status', 'timed_out']);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('svc runs create') });
  });

  it('show a run by the beginning of its id', async () => {
    const { id } = runs[0]!;
    const shown = await svc.succeeds(['runs', 'get', id.slice(0, 30)]);
    expect(shown).toMatch(/^Progress +40 %, page 4$/m);
    expect(shown).toMatch(/^Labels +team=billing$/m);
    expect(await svc.json(['runs', 'get', id])).toEqual((await ada.api.get(`/runs/${id}`)).body);
    expect(await svc.succeeds(['complete', 'run', id.slice(0, 30)])).toBe(`${id}\tlisted, first, running\n`);
    expect((await svc.succeeds(['complete', 'run', ''])).split('\n').length).toBeGreaterThan(3);
    const unknown = await svc.run(['runs', 'get', UNKNOWN]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('Run not found') });
    const nobody = await svc.run(['runs', 'get', 'second']);
    expect(nobody.stderr).toBe('Error: No run has an id that begins with "second": see "svc runs list"\n');
  });
});

describe('svc runs logs', () => {
  it('shows only the log of the run, and follows it', async () => {
    const worker = await createWorker(app, ada);
    const [{ id }, { id: other }] = [await ask(ada, worker), await ask(ada, worker)];
    await claim(worker, { limit: 2 });
    const log = (run_id: string, message: string) =>
      worker.runtime.post('/agents/logs', { level: 'info', message, run_id });
    await log(other, 'another run');
    await log(id, 'first');
    expect(await svc.succeeds(['runs', 'logs', id])).toMatch(/^\S+ +info +first\n$/);
    expect(await svc.json(['runs', 'logs', id, '--level', 'error'])).toEqual([]);
    const following = svc.start(['runs', 'logs', id, '--follow', '--jq', '.message']);
    await following.prints(1);
    await log(other, 'another run');
    await log(id, 'second');
    expect(await following.prints(2)).toEqual(['first', 'second']);
    await following.interrupted();
  });
});

describe('svc runs cancel and svc runs retry', () => {
  it('cancel a queued run at once, and make another one of it', async () => {
    await createAgent(app, ada, { name: 'left' });
    const { id } = await svc.json(['runs', 'create', 'left', '--input', '{"q": 1}']);
    const early = await svc.run(['runs', 'retry', id]);
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('"svc runs cancel"') });
    const shown = await svc.run(['runs', 'cancel', id, '--reason', 'asked by mistake']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^Status +cancelled$/m);
    expect(await readRun(ada, id)).toMatchObject({ status: 'cancelled', error: 'asked by mistake' });
    const late = await svc.run(['runs', 'cancel', id]);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('"svc runs get"') });
    const again = await svc.json(['runs', 'retry', id]);
    expect(again).toMatchObject({ status: 'queued', retry_of: id, input: { q: 1 } });
  });

  it('cancel a run that the agent has as soon as the agent has ended it', async () => {
    const worker = await createWorker(app, ada);
    const { id } = await ask(ada, worker);
    await claim(worker);
    const asked = await svc.run(['runs', 'cancel', id]);
    expect(asked).toMatchObject({ code: 0, stderr: expect.stringContaining(`"svc runs get ${id} --wait"`) });
    expect(asked.stdout).toMatch(/^Cancel asked +now$/m);
    expect(await tell(worker, { run_id: id, status: 'running' })).toMatchObject({ cancel_requested: true });
  });
});
