import { type Person, registerPerson } from '../builders/people.js';
import { ask, claim, createWorker, readRun, tell } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { type BreakableLink, linkTo } from './breakable-link.js';
import { PROGRAM, Svc } from './svc.js';

let app: TestApp;
let link: BreakableLink;
let ada: Person;
let svc: Svc;

beforeAll(async () => {
  app = await startTestApp();
  link = await linkTo(app.url);
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(link.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await link.close();
  await app.close();
});

type Worker = Awaited<ReturnType<typeof createWorker>>;

/** Takes the next run as soon as there is one. @returns its id */
async function take(worker: Worker): Promise<string> {
  const [run] = await claim(worker, { limit: 1, wait: 20 });
  return run!.run_id as string;
}

/** Takes the next run, and ends it. @returns its id */
async function end(worker: Worker, report: object): Promise<string> {
  const run_id = await take(worker);
  await tell(worker, { run_id, ...report });
  return run_id;
}

describe('svc runs create --wait', () => {
  it('prints only the output, so that it can be piped: a text unchanged, other values as JSON', async () => {
    const worker = await createWorker(app, ada, { name: 'answerer' });
    const answered = async (output: unknown) => {
      const running = svc.start(['runs', 'create', 'answerer', '--input', '{"q": 1}', '--wait']);
      await end(worker, { status: 'succeeded', output });
      return running.ended();
    };
    expect(await answered('two\nlines')).toEqual({ code: 0, stdout: 'two\nlines\n', stderr: '' });
    expect(await answered({ answer: 42 })).toEqual({ code: 0, stdout: '{\n  "answer": 42\n}\n', stderr: '' });
    expect(await answered('\u001b[2J')).toMatchObject({ code: 0, stdout: '\\u001b[2J\n' });
    expect(await answered(null)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/output/),
    });
  });

  it('works in a pipe of a shell', async () => {
    const worker = await createWorker(app, ada, { name: 'piped' });
    const script = `echo '{"q": 1}' | "$0" ${PROGRAM} runs create piped --input - --wait | tr a-z A-Z`;
    const shell = svc.startProcess([], {}, ['sh', '-c', script]);
    await end(worker, { status: 'succeeded', output: 'the answer' });
    expect(await shell.ended()).toMatchObject({ code: 0, stdout: 'THE ANSWER\n' });
  });

  it('prints the whole run as JSON on request', async () => {
    const worker = await createWorker(app, ada, { name: 'whole' });
    const running = svc.start(['runs', 'create', 'whole', '--wait', '--json', 'id,status,output']);
    const id = await end(worker, { status: 'succeeded', output: 'yes' });
    const { code, stdout } = await running.ended();
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, id, status: 'succeeded', output: 'yes' });
  });

  it.each([
    ['failed', 'has failed: no model', { status: 'failed', error: 'no model' }],
    ['cancelled', 'was cancelled', { status: 'cancelled' }],
  ])('ends with 5 and the reason when the run is %s', async (status, said, report) => {
    const worker = await createWorker(app, ada);
    const running = svc.start(['runs', 'create', worker.id, '--wait']);
    const id = await end(worker, report);
    const advice = `see "svc runs get ${id}", or ask again with "svc runs retry ${id}"`;
    const { code, stdout, stderr } = await running.ended();
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^Error: The run ${said}(: [^;]+)?; ${advice}\n$`));
    const shown = await svc.run(['runs', 'get', id, '--wait', '--jq', '.status']);
    expect(shown).toMatchObject({ code: 5, stdout: `${status}\n` });
  });

  it('ends with 5 when the agent has lost the run', async () => {
    const worker = await createWorker(app, ada);
    const running = svc.start(['runs', 'create', worker.id, '--wait']);
    await take(worker);
    await worker.runtime.post('/agents/register', { runs: [] });
    const { code, stderr } = await running.ended();
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('The run was abandoned') });
  });

  it('ends with 1 after the time limit, while the run continues', async () => {
    const worker = await createWorker(app, ada);
    const { code, stdout, stderr } = await svc.run(['runs', 'create', worker.id, '--wait', '0']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const id = await end(worker, { status: 'succeeded', output: 7 });
    expect(stderr).toContain(
      `"svc runs get ${id} --wait" waits for it again, "svc runs cancel ${id}" cancels it`,
    );
    expect(await svc.succeeds(['runs', 'get', id, '-w'])).toBe('7\n');
    const again = svc.start(['runs', 'retry', id, '--wait']);
    await end(worker, { status: 'succeeded', output: 8 });
    expect(await again.ended()).toMatchObject({ code: 0, stdout: '8\n' });
  });

  it('says why the run waits', async () => {
    const worker = await createWorker(app, ada);
    const running = svc.start(['runs', 'create', worker.id, '--wait']);
    const run_id = await take(worker);
    await tell(worker, { run_id, status: 'waiting', waiting_reason: 'approval\nof ada' });
    await running.says('The run is waiting: approval\\nof ada\n');
    await tell(worker, { run_id, status: 'succeeded', output: true });
    expect(await running.ended()).toMatchObject({ code: 0, stdout: 'true\n' });
  });

  it('shows with --follow the history, the log and the progress of the run, apart from the output', async () => {
    const worker = await createWorker(app, ada);
    const running = svc.start(['runs', 'create', worker.id, '--follow']);
    const run_id = await take(worker);
    const log = (message: string, of?: string) =>
      worker.runtime.post('/agents/logs', { level: 'info', message, run_id: of });
    await log('page 1', run_id);
    await running.says('page 1');
    await log('of no run');
    await log('page 2', run_id);
    await tell(worker, { run_id, status: 'running', progress: { percent: 40 } });
    await running.says('progress: 40 %');
    await tell(worker, { run_id, status: 'succeeded', output: 'read' });
    const { code, stdout, stderr } = await running.ended();
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'read\n' });
    expect(stderr.match(/page \d|of no run/g)).toEqual(['page 1', 'page 2']);
    expect(stderr.match(/#\d +[a-z]+/g)).toEqual(['#1  queued', '#2  started', '#3  succeeded']);
  });

  it('continues after a lost connection', async () => {
    const worker = await createWorker(app, ada);
    const running = svc.start(['runs', 'create', worker.id, '--wait']);
    const run_id = await take(worker);
    // the agent may have the run before svc has the reply to its request
    await tell(worker, { run_id, status: 'waiting', waiting_reason: 'approval' });
    await running.says('approval');
    link.cut();
    await running.says('Connection lost, trying again');
    await tell(worker, { run_id, status: 'succeeded', output: 'there' });
    link.mend();
    const { code, stdout, stderr } = await running.ended();
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'there\n' });
    expect(stderr).toMatch(/Connected again\n$/);
  });

  it('does not cancel the run on Ctrl-C, and names the command for it', async () => {
    const worker = await createWorker(app, ada);
    const running = svc.startProcess(['runs', 'create', worker.id, '--wait']);
    const run_id = await take(worker);
    await tell(worker, { run_id, status: 'waiting', waiting_reason: 'approval' });
    await running.says('approval');
    const { code, stdout, stderr } = await running.interrupted();
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain(`"svc runs cancel ${run_id}" cancels it\n`);
    expect(await readRun(ada, run_id)).toMatchObject({ status: 'waiting', cancel_requested_at: null });
  });

  it('waits for a run that has ended before', async () => {
    const worker = await createWorker(app, ada);
    const { id } = await ask(ada, worker);
    await end(worker, { status: 'succeeded', output: 'old' });
    expect(await svc.succeeds(['runs', 'get', id, '--wait', '1s'])).toBe('old\n');
  });
});
