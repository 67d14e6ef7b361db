import { eventsOf, readRun } from '../builders/runs.js';
import { until } from '../harness/until.js';
import { Gateway } from './gateway.js';
import { isRunning } from './runner-process.js';
import { RunStage } from './run-stage.js';
import { RunnerSuite } from './runner-suite.js';

/** Runs of `svc run` through the end of the runner, its death, and outages of the service. */
let suite: RunnerSuite;

beforeAll(async () => {
  suite = await RunnerSuite.open();
});

afterAll(() => suite.close());

describe('A runner that was killed in the middle of a run', () => {
  it('leaves its process running, whose real end the next runner reports, with its output and every line, and begins none twice', async () => {
    const on = await RunStage.open(suite, { concurrency: 2 });
    const first = on.runProcess();
    const [ending, going] = [await on.ask({ task: 'wait' }), await on.ask({ task: 'wait', go: 'later' })];
    await Promise.all([on.begun(ending), on.begun(going)]);
    await first.end('SIGKILL');
    // one ends while no runner is there, the other one under the next
    on.go('now');
    await until(() => on.diary(ending).includes('end'));

    const next = on.run();
    expect(await on.shows(ending, 'succeeded')).toMatchObject({ attempt: 1, output: { word: 'now' } });
    const line = await until(async () =>
      (await on.logs(ending)).find(({ message }) => message.includes('word')),
    );
    expect(line).toMatchObject({ run_id: ending.id });
    expect(await readRun(suite.person, going.id)).toMatchObject({ status: 'running', attempt: 1 });
    on.go('soon', 'later');
    expect(await on.shows(going, 'succeeded')).toMatchObject({ output: { word: 'soon' } });
    expect([on.diary(ending), on.diary(going)]).toEqual([
      ['start', 'end'],
      ['start', 'end'],
    ]);
    await until(() => on.stored().length === 0);
    expect(await next.end()).toBe(0);
  });

  it('has its runs failed by the next runner when their processes have ended as well', async () => {
    const on = await RunStage.open(suite);
    const first = on.runProcess();
    const run = await on.ask({ task: 'wait' });
    await on.begun(run);
    await first.end('SIGKILL');
    const pids = on.pids();
    expect(pids.map(isRunning)).toEqual([true]);
    for (const pid of pids) process.kill(-pid, 'SIGKILL');

    const next = on.run();
    expect(await on.shows(run, 'failed')).toMatchObject({
      error: 'It ended while no runner was there, and how is not known',
    });
    expect(await next.end()).toBe(0);
  });
});

describe('A runner that ends', () => {
  it('ends the runs at work, reports their real end, and takes no more', async () => {
    const on = await RunStage.open(suite);
    const runner = on.run();
    const [run, other] = [await on.ask({ task: 'wait', code: 7 }), await on.ask({ task: 'wait' })];
    await on.begun(run);
    expect(await runner.end()).toBe(0);
    expect(await on.shows(run, 'failed')).toMatchObject({
      error: 'Its runner was stopped: it ended with exit code 7',
    });
    await on.shows(other, 'queued');
    expect(on.stored()).toEqual([]);
  });

  it('gives back a run that was claimed and not begun, and so does the next runner', async () => {
    const on = await RunStage.open(suite);
    const gateway = await Gateway.open(suite.app.url);
    // the service gives the run, and the runner does not hear of it before it ends
    const claims = () => gateway.of('POST /agents/runs/claim').filter(({ body }) => body.limit > 0);
    gateway.treat = ({ path, body }) =>
      path === '/agents/runs/claim' && body.limit > 0 && body.wait > 0 ? 'lose' : 'pass';
    const run = await on.ask({ task: 'wait' });
    for (let runners = 0; runners < 2; runners++) {
      const runner = on.run({ SERVICE_API_URL: gateway.url });
      const before = claims().length;
      await until(() => claims().length > before);
      await on.shows(run, 'running');
      expect(await runner.end()).toBe(0);
      await on.shows(run, 'queued');
      expect(claims().at(-1)).toMatchObject({ idempotencyKey: claims()[before]!.idempotencyKey });
      // the next one would get the run by repeating this claim
      on.forgetClaims();
    }
    expect(on.diary(run)).toEqual([]);
    await gateway.down();
  });
});

describe('A run whose attempt the service has given up', () => {
  it('is begun again when the process of that attempt has ended, and ends as the new one says', async () => {
    const on = await RunStage.open(suite, { concurrency: 2 });
    const runner = on.run();
    const run = await on.ask({ task: 'wait' }, { retry: { max_attempts: 2, abandoned: true } });
    await on.begun(run);
    // as if its runner had started without the run
    await on.agent.runtime.post('/agents/register', {});
    await until(() => on.diary(run).length === 3);
    on.go('again');
    expect(await on.shows(run, 'succeeded')).toMatchObject({ attempt: 2, output: { word: 'again' } });
    expect(on.diary(run)).toEqual(['start', 'term', 'start', 'end']);
    const steps = ['queued', 'started', 'abandoned', 'queued', 'started', 'succeeded'];
    expect(await eventsOf(suite.person, run.id)).toEqual(steps);
    await until(() => on.stored().length === 0);
    expect(await runner.end()).toBe(0);
  });
});

describe('A runner whose disk has no room for a run', () => {
  it('gives the run back, and then only listens for a while, because the service would give it again at once', async () => {
    const on = await RunStage.open(suite);
    const gateway = await Gateway.open(suite.app.url);
    const limits = () => gateway.of('POST /agents/runs/claim').map(({ body }) => body.limit as number);
    const run = await on.ask({ task: 'wait', text: 'x'.repeat(200_000) });
    // its processes can write no file of more than 64 KiB
    const runner = on.runProcess({ SERVICE_API_URL: gateway.url }, [
      'sh',
      '-c',
      'ulimit -f 128; exec "$@"',
      'sh',
    ]);
    const { message } = await runner.next('not_kept');
    expect(message).toMatch(/^The state directory \S+runs can't be written \(EFBIG\)/);
    await until(() => limits().slice(limits().indexOf(1)).includes(0));
    await until(async () => (await eventsOf(suite.person, run.id)).includes('returned'));
    expect(on.stored()).toEqual([]);
    expect(on.diary(run)).toEqual([]);
    await runner.end();
    await gateway.down();
  });
});

describe('During an outage of the service', () => {
  it('a run continues, and its end is reported afterwards, also by the next runner', async () => {
    const on = await RunStage.open(suite);
    const gateway = await Gateway.open(suite.app.url);
    const runner = on.runProcess({ SERVICE_API_URL: gateway.url });
    const run = await on.ask({ task: 'wait' });
    await on.begun(run);
    await gateway.down();
    on.go('alone');
    await runner.next('run_ended');
    await until(() => on.hasReport());
    await runner.end('SIGKILL');
    const next = on.run({ SERVICE_API_URL: gateway.url });
    await gateway.up();
    expect(await on.shows(run, 'succeeded')).toMatchObject({ output: { word: 'alone' } });
    expect(await next.end()).toBe(0);
    await gateway.down();
  });

  it('a claim whose reply is lost is repeated, and its run is carried out once', async () => {
    const on = await RunStage.open(suite);
    const gateway = await Gateway.open(suite.app.url);
    const lost: string[] = [];
    gateway.treat = ({ path, body, idempotencyKey }) => {
      if (path !== '/agents/runs/claim' || body.limit === 0 || lost.length > 0) return 'pass';
      lost.push(idempotencyKey!);
      return 'lose';
    };
    const run = await on.ask({ task: 'wait' });
    on.go('once');
    const runner = on.run({ SERVICE_API_URL: gateway.url });
    expect(await on.shows(run, 'succeeded')).toMatchObject({ attempt: 1, output: { word: 'once' } });
    expect(on.diary(run)).toEqual(['start', 'end']);
    const keys = gateway
      .of('POST /agents/runs/claim')
      .filter(({ body }) => body.limit > 0)
      .map(({ idempotencyKey }) => idempotencyKey);
    expect(keys.slice(0, 2)).toEqual([lost[0], lost[0]]);
    await runner.end();
    await gateway.down();
  });

  it('heartbeats name no runs while the answer to a claim is lost, because its run would be abandoned, and name it afterwards', async () => {
    const on = await RunStage.open(suite);
    const gateway = await Gateway.open(suite.app.url);
    const claims = () => gateway.of('POST /agents/runs/claim').filter(({ body }) => body.limit > 0);
    let isOpen = false;
    gateway.treat = ({ path, body }) => {
      if (path !== '/agents/runs/claim' || body.limit === 0 || isOpen) return 'pass';
      return claims().length === 1 ? 'lose' : { status: 502 };
    };
    const run = await on.ask({ task: 'wait' });
    const runner = on.run({ SERVICE_API_URL: gateway.url });
    await until(() => claims().length > 1);
    const heartbeats = () => gateway.of('POST /agents/heartbeat').map(({ body }) => body.runs);
    const before = heartbeats().length;
    const doubtful = await until(() => heartbeats().length > before + 1 && heartbeats().slice(before));
    expect(doubtful.filter((runs) => runs !== undefined)).toEqual([]);
    isOpen = true;
    await until(() => heartbeats().some((runs) => runs?.includes(run.id)));
    on.go('late');
    expect(await on.shows(run, 'succeeded')).toMatchObject({ attempt: 1, output: { word: 'late' } });
    expect(await eventsOf(suite.person, run.id)).toEqual(['queued', 'started', 'succeeded']);
    expect(on.diary(run)).toEqual(['start', 'end']);
    await runner.end();
    await gateway.down();
  });
});
