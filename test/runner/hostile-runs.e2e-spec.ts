import { until } from '../harness/until.js';
import { isRunning } from './runner-process.js';
import { RunnerSuite } from './runner-suite.js';
import { RunStage } from './run-stage.js';

/** Runs of `svc run` whose programs do what programs should not. */
let suite: RunnerSuite;

beforeAll(async () => {
  suite = await RunnerSuite.open();
});

afterAll(() => suite.close());

const open = (script: string) =>
  RunStage.open(suite, { command: ['sh', '-c', script] }, { stop_grace_seconds: 0.3 });

/** The process that a line names. */
const numberIn = (message: string) => Number(/^left (\d+)$/.exec(message)?.[1]);

describe('A run whose program', () => {
  it('reads none of a large input, and closes it, succeeds', async () => {
    const on = await open(`exec 0<&-; echo '"fine"'`);
    const runner = on.run();
    const run = await on.ask({ text: 'x'.repeat(200_000) });
    expect(await on.shows(run, 'succeeded')).toMatchObject({ output: 'fine' });
    await runner.end();
  });

  it('writes its last line in pieces, with pauses in between, has the whole line as its output', async () => {
    const on = await open(`printf '{"total": '; sleep 1.2; printf 123; sleep 1.2; echo '45}'`);
    const runner = on.run();
    expect(await on.shows(await on.ask({}), 'succeeded')).toMatchObject({ output: { total: 12345 } });
    await runner.end();
  });

  it('writes 100 MB in one line ends with its output, and the runner has the next one carried out', async () => {
    const on = await open(`head -c 100000000 /dev/zero | tr '\\0' x; echo; echo '"done"'`);
    const runner = on.run();
    for (const run of [await on.ask({}), await on.ask({})])
      expect(await on.shows(run, 'succeeded')).toMatchObject({ output: 'done' });
    expect(await runner.end()).toBe(0);
  });

  it('leaves a process in a session of its own, which ignores SIGTERM and holds the output, ends with that process', async () => {
    const on = await open(
      `setsid sh -c 'trap "" TERM; echo left $$; while :; do sleep 1; done' & sleep 0.5; echo '"left"'`,
    );
    const runner = on.run();
    const run = await on.ask({});
    expect(await on.shows(run, 'succeeded')).toMatchObject({ output: 'left' });
    const pid = await until(async () =>
      (await on.logs(run)).map(({ message }) => numberIn(message)).find(Boolean),
    );
    expect(isRunning(pid)).toBe(false);
    await runner.end();
  });

  it('ends itself, its parent and its group with SIGKILL has failed, and the next run begins', async () => {
    const on = await open('kill -9 0');
    const runner = on.run();
    for (const run of [await on.ask({}), await on.ask({})])
      expect(await on.shows(run, 'failed')).toMatchObject({ error: expect.stringContaining('SIGKILL') });
    expect(await runner.end()).toBe(0);
  });

  it('puts a directory or a pipe where its output belongs has no output', async () => {
    for (const script of ['mkdir "$RUN_OUTPUT"', 'mkfifo "$RUN_OUTPUT"', 'ln -s /dev/zero "$RUN_OUTPUT"']) {
      const on = await open(script);
      const runner = on.run();
      const run = await on.ask({});
      expect(await on.shows(run, 'succeeded')).toMatchObject({ output: null });
      await until(() => on.stored().length === 0);
      await runner.end();
    }
  });
});
