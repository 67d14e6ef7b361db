import { until } from '../harness/until.js';
import { isRunning } from './runner-process.js';
import { RunStage } from './run-stage.js';
import { RunnerSuite } from './runner-suite.js';

/** `svc run` with runs: real processes, and the real service. */
let suite: RunnerSuite;

beforeAll(async () => {
  suite = await RunnerSuite.open();
});

afterAll(() => suite.close());

describe('A deployment that takes runs', () => {
  it('is ready with its slots, and carries a run out from its input to its output, with its lines as logs', async () => {
    const on = await RunStage.open(suite);
    const runner = on.run();
    await on.isReady({ ready_replicas: 1 });
    const input = { task: 'tell', question: 'Wie geht’s?' };
    const asked = await on.ask(input, { name: 'daily', conversation_id: 'c-1' });
    const run = await on.shows(asked, 'succeeded');
    expect(run).toMatchObject({
      deployment_id: on.deployment,
      attempt: 1,
      output: {
        file: input,
        RUN_NAME: 'daily',
        CONVERSATION_ID: 'c-1',
        TRACEPARENT: expect.stringMatching(`^00-${String(run.trace_id)}-`),
      },
    });
    expect(run.output).not.toHaveProperty('SERVICE_AGENT_KEY');
    const line = await until(async () => (await on.logs(run)).find(({ message }) => message === 'at work'));
    expect(line).toMatchObject({ level: 'info', run_id: run.id, metadata: { replica: 0 } });
    await until(() => on.stored().length === 0);
    expect(await runner.end()).toBe(0);
  });

  it('has RUN_OUTPUT as its output, as JSON or as text, else a last line in JSON, else nothing', async () => {
    const on = await RunStage.open(suite, { concurrency: 3 });
    const runner = on.run();
    const [json, text, chat] = await Promise.all([
      on.ask({ task: 'write', text: '{"total": 12345678901234567890}\n' }),
      on.ask({ task: 'write', text: 'a letter\n' }),
      on.ask({ task: 'chat' }),
    ]);
    // whole numbers beyond 2^53 keep their digits, as they do in logs
    expect(await on.shows(json, 'succeeded')).toMatchObject({ output: { total: '12345678901234567890' } });
    expect(await on.shows(text, 'succeeded')).toMatchObject({ output: 'a letter' });
    expect(await on.shows(chat, 'succeeded')).toMatchObject({ output: null });
    await runner.end();
  });

  it('fails a run with the exit code and the last words of its process, and one whose output is too large', async () => {
    const on = await RunStage.open(suite);
    const runner = on.run();
    const failing = await on.ask({ task: 'fail' });
    expect(await on.shows(failing, 'failed')).toMatchObject({
      error: 'It ended with exit code 3: no paper',
      output: null,
    });
    const large = await on.ask({ task: 'write', text: 'x', times: 300_000 });
    expect(await on.shows(large, 'failed')).toMatchObject({
      error: expect.stringMatching(/^Its output has 300002 bytes, the service takes 262144/),
    });
    await runner.end();
  });

  it('has as many runs at a time as its replicas have slots', async () => {
    const on = await RunStage.open(suite, { concurrency: 2 });
    const runner = on.run();
    const [first, second, third] = [
      await on.ask({ task: 'wait' }),
      await on.ask({ task: 'wait' }),
      await on.ask({ task: 'wait' }),
    ];
    await Promise.all([on.begun(first), on.begun(second)]);
    await on.shows(second, 'running');
    await on.shows(third, 'queued');
    await suite.person.api.post(`/deployments/${on.deployment}/scale`, { replicas: 2 });
    await on.begun(third);
    await on.isReady({ ready_replicas: 2 });
    on.go('now');
    for (const run of [first, second, third])
      expect(await on.shows(run, 'succeeded')).toMatchObject({ output: { word: 'now' } });
    await runner.end();
  });

  it('is failed when its program is not there', async () => {
    const on = await RunStage.open(suite, { command: ['no-such-program'] });
    const runner = on.run();
    await on.isReady({
      status: 'failed',
      error_message: "no-such-program can't be started (ENOENT: there is no such program)",
    });
    await runner.end();
  });
});

describe('A run that is to end early', () => {
  it('gets SIGTERM when it is cancelled, also while all slots are busy, and is cancelled', async () => {
    const on = await RunStage.open(suite);
    const runner = on.run();
    const run = await on.ask({ task: 'wait' });
    await on.begun(run);
    await suite.person.api.post(`/runs/${run.id}/cancel`);
    expect(await on.shows(run, 'cancelled')).toMatchObject({ error: 'Cancelled: it ended with exit code 1' });
    expect(on.diary(run)).toEqual(['start', 'term']);
    await runner.end();
  });

  it('has succeeded when it still ends with 0', async () => {
    const on = await RunStage.open(suite);
    const runner = on.run();
    const run = await on.ask({ task: 'wait', code: 0 });
    await on.begun(run);
    await suite.person.api.post(`/runs/${run.id}/cancel`);
    await on.shows(run, 'succeeded');
    await runner.end();
  });

  it('is killed with its children after the grace when its time is over, and has failed', async () => {
    const on = await RunStage.open(suite, { timeout_seconds: 1 }, { stop_grace_seconds: 0.2 });
    const runner = on.run();
    const run = await on.ask({ task: 'stubborn' });
    expect(await on.shows(run, 'failed')).toMatchObject({
      error: 'It took longer than 1 seconds: it was ended by SIGKILL: no',
    });
    const child = Number(/child (\d+)/.exec(on.diary(run).join())![1]);
    expect(isRunning(child)).toBe(false);
    await runner.end();
  });

  it('ends with its deployment, and the last acts of its process count', async () => {
    const on = await RunStage.open(suite);
    const runner = on.run();
    const run = await on.ask({ task: 'wait', code: 4 });
    await on.begun(run);
    await suite.person.api.post(`/deployments/${on.deployment}/stop`);
    expect(await on.shows(run, 'failed')).toMatchObject({
      error: 'Its deployment was stopped: it ended with exit code 4',
    });
    await runner.end();
  });
});
