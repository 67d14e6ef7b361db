import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { ask, readRun } from '../builders/runs.js';
import { until } from '../harness/until.js';
import { asNobody, because, GID, NOBODY, onRoot, UID } from './nobody.js';
import type { Runner } from './runner.js';
import { isRunning } from './runner-process.js';
import { RunnerSuite } from './runner-suite.js';

/** `svc run --user`, started as root, and what its processes can reach. */
let suite: RunnerSuite;

beforeAll(async () => {
  suite = await RunnerSuite.open();
});

afterAll(() => suite.close());

interface Stage {
  readonly agent: TestAgent;
  readonly home: string;
  readonly state: string;
  readonly variables: { readonly HOME: string; readonly SERVICE_AGENT_KEY: string };
}

async function stage(config: object): Promise<Stage> {
  const agent = await createAgent(suite.app, suite.person, {
    config: {
      readiness: { seconds: 0.1 },
      restart: { first_delay_seconds: 0.1, give_up_after: 1 },
      ...config,
    },
  });
  await deploy(suite.person, agent);
  const home = suite.makeHome().path;
  return {
    agent,
    home,
    state: join(home, '.svc', 'run', agent.id),
    variables: { HOME: home, SERVICE_AGENT_KEY: agent.key },
  };
}

const start = ({ variables }: Stage, more: Readonly<Record<string, string>> = {}) =>
  suite.run({ ...variables, ...more }, ['--user', NOBODY]);

/** The lines that the processes have written, when one of them contains a text. */
const lines = ({ agent }: Stage, until_: string): Promise<string[]> =>
  until(async () => {
    const { body } = await suite.person.api.get(`/agents/${agent.id}/logs?limit=500`);
    const all = body
      .toReversed()
      .filter((it: any) => it.metadata?.source !== 'runner')
      .map((it: any) => it.message as string);
    return all.some((line: string) => line.includes(until_)) && all;
  });

/** A value from a file in proc(5), as a replica has printed it. */
const valueOf = (printed: string[], name: string) =>
  printed
    .join('\n')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.split(/\s+/)
    .slice(1)
    .join(' ')
    .trim();

/** The processes that are written down; waits until there are some. */
const pidsIn = ({ state }: Stage): Promise<number[]> =>
  until(() => {
    const file = join(state, 'processes.json');
    const { processes } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { processes: [] };
    return processes.length > 0 && processes.map(({ pid }: { pid: number }) => pid);
  });

onRoot(`A process under another account${because}`, () => {
  it("has that account's ids and variables, none of the runner's rights, and nothing else of its environment", async () => {
    const on = await stage({
      command: [
        'sh',
        '-c',
        'cat /proc/self/status; tr "\\0" "\\n" </proc/self/environ; pwd; ls /proc/self/fd; echo ok; exec sleep 1000',
      ],
      env: { OWN: 'it\'s $HOME; "quoted"\n`two`' },
    });
    const runner = start(on, { SECRET_OF_ROOT: 'x', LC_TIME: 'C', PYTHONPATH: '/root', SSH_AUTH_SOCK: '/x' });
    const printed = await lines(on, 'ok');
    const ids = (id: number) => Array(4).fill(id).join(' ');
    expect(valueOf(printed, 'Uid')).toBe(ids(UID));
    expect(valueOf(printed, 'Gid')).toBe(ids(GID));
    expect(valueOf(printed, 'Groups')).toBe(String(GID));
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
      expect(valueOf(printed, set)).toBe('0000000000000000');
    expect(valueOf(printed, 'NoNewPrivs')).toBe('1');
    const text = printed.join('\n');
    expect(text).toContain('OWN=it\'s $HOME; "quoted"\n`two`');
    expect(text).toMatch(/^USER=nobody$/m);
    expect(text).toMatch(/^LOGNAME=nobody$/m);
    expect(text).toMatch(/^LC_TIME=C$/m);
    expect(text).toMatch(/^HOME=\/nonexistent$/m);
    for (const hidden of ['SECRET_OF_ROOT', 'PYTHONPATH', 'SSH_AUTH_SOCK', 'SERVICE_', on.agent.key])
      expect(text).not.toContain(hidden);
    // its three streams, and the directory that ls reads
    expect(printed.filter((line) => /^\d$/.test(line))).toEqual(['0', '1', '2', '3']);
    await runner.end();
  });

  it('can read neither the state, the key, the relay nor the environment of the runner', async () => {
    const on = await stage({ command: ['sleep', '1000'] });
    const { home, state } = on;
    // A home that others may enter, as some systems make them: the state directory itself is closed.
    chmodSync(home, 0o755);
    const runner = suite.runProcess(on.variables, ['--user', NOBODY]);
    await runner.next('replica_ready');
    const [pid] = await pidsIn(on);
    const files = readdirSync(state).map((name) => join(state, name));
    expect(files).toEqual(expect.arrayContaining([join(state, 'otlp.json'), join(state, 'processes.json')]));
    const tries = [...files, state, `/proc/${runner.process.pid}/environ`, `/proc/${runner.process.pid}/fd`];
    const read = (path: string) =>
      spawnSync(asNobody[0]!, [...asNobody.slice(1), 'sh', '-c', 'cat "$0"; ls "$0/"', path]);
    for (const path of tries)
      expect({ path, text: read(path).stdout.toString() }).toEqual({ path, text: '' });
    // its own environment is there for it, with the token of the relay, and for nobody else
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain(
      'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:',
    );
    const { token } = JSON.parse(readFileSync(join(state, 'otlp.json'), 'utf8'));
    const shown = execFileSync('ps', ['axww', '-o', 'args='], { encoding: 'utf8' });
    expect(shown).not.toContain(token);
    expect(shown).not.toContain(on.agent.key);
    await runner.end();
  });

  it("gives the runner's programs none of the config's variables, which could load code of root", async () => {
    const folder = suite.makeHome().path;
    chmodSync(folder, 0o1777);
    const on = await stage({
      command: ['sh', '-c', 'echo ok; exec sleep 1000'],
      readiness: { command: ['true'], interval_seconds: 0.05 },
      // the loader of glibc writes a file for each program that gets these, as the program's user
      env: { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(folder, 'loaded'), PATH: '/usr/bin:/bin' },
    });
    const runner = start(on);
    await runner.next('replica_ready');
    const owners = readdirSync(folder).map((name) => statSync(join(folder, name)).uid);
    expect(owners.length).toBeGreaterThan(0);
    expect([...new Set(owners)]).toEqual([UID]);
    await runner.end();
  });

  it('enters a directory with its own rights', async () => {
    const closed = suite.makeHome().path;
    mkdirSync(join(closed, 'open'));
    writeFileSync(join(closed, 'open', 'secret'), 'of root');
    for (const path of [join(closed, 'open'), join(closed, 'open', 'secret')]) chmodSync(path, 0o755);
    const on = await stage({ command: ['cat', 'secret'], cwd: join(closed, 'open') });
    const runner = start(on);
    await runner.next('given_up');
    expect((await runner.next('given_up')).message).toMatch(
      /exit code 126.*(can't cd|Permission denied|cd:)/i,
    );
    expect(await lines(on, 'cd')).not.toContain('of root');
    await runner.end();
  });

  it('can open its standard streams by their names, and gets an error for an absent program', async () => {
    const on = await stage({
      command: ['sh', '-c', 'echo out >/dev/stdout; echo err >/dev/stderr; exec no-such-program'],
    });
    const runner = start(on);
    const printed = await lines(on, 'no-such-program');
    expect(printed).toEqual(expect.arrayContaining(['out', 'err']));
    await runner.end();
  });

  it('is refused a variable whose name no shell takes', async () => {
    const on = await stage({ command: ['true'], env: { 'a-b': 'x' } });
    const runner = start(on);
    const shown = await until(async () => {
      const { body } = await suite.person.api.get(`/deployments?agent_id=${on.agent.id}`);
      return body[0].status === 'failed' && body[0];
    });
    expect(shown.error_message).toContain(
      'under --user a variable has a name of letters, digits and _, not "a-b"',
    );
    await runner.end();
  });
});

onRoot(`A runner of another account's processes${because}`, () => {
  const idle = {
    command: ['sh', '-c', 'trap "" TERM; setsid sleep 1001 & while :; do sleep 0.2; done'],
    stop_grace_seconds: 1,
  };

  it('finds them again after a kill, and ends them with processes that have left their group', async () => {
    const on = await stage(idle);
    const first = suite.runProcess(on.variables, ['--user', NOBODY]);
    await first.next('replica_ready');
    const [pid] = await pidsIn(on);
    await first.end('SIGKILL');
    const next: Runner = start(on);
    await next.next('replica_adopted');
    expect(await pidsIn(on)).toEqual([pid]);
    await next.end();
    expect(isRunning(pid!)).toBe(false);
    expect(spawnSync('pgrep', ['-u', NOBODY, '-f', 'sleep 1001']).stdout.toString()).toBe('');
  });

  it('ends those that the killed one had not recorded', async () => {
    const on = await stage(idle);
    const first = suite.runProcess(on.variables, ['--user', NOBODY]);
    await first.next('replica_ready');
    const [pid] = await pidsIn(on);
    await first.end('SIGKILL');
    rmSync(join(on.state, 'processes.json'));
    const next = start(on);
    await next.next('replica_ready');
    expect(isRunning(pid!)).toBe(false);
    await next.end();
  });

  it('gives a run its input, and takes its output, also after it was killed', async () => {
    const home = suite.makeHome().path;
    chmodSync(home, 0o755);
    const script =
      'id -u; cat "$RUN_INPUT"; echo; while ! [ -e "$GO" ]; do sleep 0.05; done; printf "[%s]" "$(cat)" >"$RUN_OUTPUT"';
    const on = await stage({ run: { command: ['sh', '-c', script] }, env: { GO: join(home, 'go') } });
    const first = suite.runProcess(on.variables, ['--user', NOBODY]);
    const run = await ask(suite.person, on.agent, { input: { n: 1 } });
    await lines(on, '{"n":1}');
    expect(await lines(on, String(UID))).toContain(String(UID));
    const [name] = readdirSync(join(on.state, 'runs'));
    const { exchange } = JSON.parse(readFileSync(join(on.state, 'runs', name!, 'run.json'), 'utf8'));
    expect(statSync(exchange)).toMatchObject({ uid: 0, gid: GID });
    // the program can't put another file in the place of its output
    const swap = spawnSync(asNobody[0]!, [
      ...asNobody.slice(1),
      'ln',
      '-sf',
      '/etc/shadow',
      join(exchange, 'output'),
    ]);
    expect(swap.status).not.toBe(0);
    await first.end('SIGKILL');
    writeFileSync(join(home, 'go'), '');
    const next = start(on);
    const ended = await until(async () => {
      const it = await readRun(suite.person, run.id);
      return it.status === 'succeeded' && it;
    });
    expect(ended.output).toEqual([{ n: 1 }]);
    await until(() => !existsSync(exchange));
    await next.end();
  });
});
