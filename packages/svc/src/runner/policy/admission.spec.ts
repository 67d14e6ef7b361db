import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessConfig } from '../processes/process-config.js';
import { Admission } from './admission.js';
import { PolicyFile } from './policy-file.js';
import { hashOfConfig } from './policy-refusals.js';

let top: string;
let policyFile: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'admission-')));
  policyFile = join(top, 'run.yaml');
  mkdirSync(join(top, 'bin'));
  for (const name of ['agent', 'check']) program(`bin/${name}`);
  program('evil');
});

afterEach(() => rmSync(top, { recursive: true }));

function program(name: string): void {
  writeFileSync(join(top, name), '#!/bin/sh\n', { mode: 0o755 });
}

function admissionBy(rules: object, account?: { uid: number; name: string }): Admission {
  writeFileSync(policyFile, JSON.stringify(rules), { mode: 0o644 });
  return new Admission([PolicyFile.given(policyFile)], account);
}

const PATH = '/usr/bin:/bin';

/** The policy's refusals of a config, as text; empty if it is allowed. */
function refused(rules: object, config: object, { replicas = 1, env = {}, account }: Given = {}): string {
  const process = readProcessConfig(config);
  const variables = { PATH, ...env, ...process.env };
  return admissionBy(rules, account).refusals({ config, process, replicas }, variables).join();
}
interface Given {
  readonly replicas?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: { uid: number; name: string };
}

/** The files that are started for a config. */
function started(rules: object, config: object) {
  const admission = admissionBy(rules);
  const process = readProcessConfig(config);
  const env = { PATH, ...process.env };
  admission.take('d', { config, process, replicas: 1 }, env);
  return admission.admit('d', process.command, env);
}

describe('The commands of a policy', () => {
  it('allow a program with its first arguments, and any others behind them', () => {
    const commands = [[join(top, 'bin/agent'), 'answer', '']];
    const config = (...args: string[]) => ({ command: [join(top, 'bin/agent'), ...args] });
    expect(refused({ commands }, config('answer', ''))).toBe('');
    expect(refused({ commands }, config('answer', '', '--more'))).toBe('');
    for (const others of [
      [],
      ['answer'],
      ['answer', 'x'],
      ['Answer', ''],
      ['answer\0', ''],
      ['answer\ud800', ''],
    ])
      expect(refused({ commands }, config(...others))).toBe(
        `The policy ${policyFile} of this machine refuses it: ` +
          `commands allows "${join(top, 'bin/agent')}" with other arguments only`,
      );
  });

  it.each([
    ['bin/agent', true],
    ['bin/../bin/agent', true],
    ['bin//./agent', true],
    ['evil', false],
    ['bin/../evil', false],
    // a link to an allowed directory, and one out of it
    ['to-bin/agent', true],
    ['to-bin/../evil', false],
    ['bin/to-evil', false],
    // a link to an allowed program is another program: which one it is may depend on its name
    ['to-agent', false],
    ['bin/no-such', false],
    ['bin', false],
    ['bin/agent/', true],
    ['bin/agent\0', false],
    ['bin/\u0430gent', false],
  ])('are compared by where a path leads to: %j, %s', (path, isAllowed) => {
    symlinkSync(join(top, 'bin'), join(top, 'to-bin'));
    symlinkSync('../evil', join(top, 'bin/to-evil'));
    symlinkSync('bin/agent', join(top, 'to-agent'));
    const absolute = { command: [`${top}/${path}`] };
    const relative = { command: [`./${path}`], cwd: top };
    for (const commands of [[join(top, 'bin/*')], [[join(top, 'bin/agent')]], [join(top, 'bin/agent')]])
      for (const config of [absolute, relative])
        expect(refused({ commands, directories: ['/'] }, config) === '').toBe(isAllowed);
  });

  it('follow a link that a rule itself names, as the owner of the machine has put it there', () => {
    symlinkSync(join(top, 'bin'), join(top, 'current'));
    symlinkSync('../evil', join(top, 'bin/tool'));
    for (const command of [join(top, 'current/tool'), join(top, 'bin/tool')])
      expect(refused({ commands: [[join(top, 'current/tool')]] }, { command: [command] })).toBe('');
    expect(refused({ commands: [join(top, 'current/*')] }, { command: [join(top, 'bin/tool')] })).toContain(
      `it is a link to "${join(top, 'evil')}"`,
    );
  });

  it('start the judged file with any PATH, directory or link', () => {
    const commands = [[join(top, 'bin/agent')]];
    symlinkSync(join(top, 'bin'), join(top, 'link'));
    const rules = { commands, environment: ['PATH'], directories: [top] };
    const judged = { command: [join(top, 'bin/agent'), 'x'], cwd: join(top, 'bin') };
    expect(started(rules, { command: ['agent', 'x'], cwd: join(top, 'link'), env: { PATH: '.' } })).toEqual(
      judged,
    );
    expect(started(rules, { command: ['./agent', 'x'], cwd: join(top, 'link') })).toEqual(judged);
    // the first one that can be started counts, as it does for the system
    mkdirSync(join(top, 'first/agent'), { recursive: true });
    const PATH = `${join(top, 'first')}:${top}/no:${join(top, 'bin')}`;
    expect(started(rules, { command: ['agent'], env: { PATH } }).command).toEqual([join(top, 'bin/agent')]);
    program('first/evil');
    renameSync(join(top, 'first/evil'), join(top, 'evil-agent'));
    rmSync(join(top, 'first/agent'), { recursive: true });
    renameSync(join(top, 'evil-agent'), join(top, 'first/agent'));
    expect(() => started(rules, { command: ['agent'], env: { PATH } })).toThrow(
      `commands does not allow "agent", which is "${join(top, 'first/agent')}"`,
    );
  });

  it('take a relative path from the home of another account, where its processes start', () => {
    const rules = { commands: [join(top, 'bin/*')], directories: [join(top, 'bin')] };
    const account = { uid: 1001, name: 'agents', home: top };
    expect(refused(rules, { command: ['./agent'], cwd: 'bin' }, { account })).toBe('');
    expect(refused(rules, { command: ['bin/agent'] }, { account })).toBe('');
    expect(refused(rules, { command: ['./evil'] }, { account })).toContain('commands does not allow');
    const homeless = { ...account, home: join(top, 'no-such') };
    expect(refused(rules, { command: [`.${top}/bin/agent`] }, { account: homeless })).toBe('');
  });

  it('allow no program that others can replace between the check and the start', () => {
    const commands = [join(top, 'bin/*')];
    chmodSync(join(top, 'bin'), 0o777);
    expect(refused({ commands }, { command: [join(top, 'bin/agent')] })).toMatch(
      /but others can replace it: ".*\/bin" can be written by its group or by everybody$/,
    );
    chmodSync(join(top, 'bin'), 0o755);
    chmodSync(join(top, 'bin/agent'), 0o775);
    expect(refused({ commands }, { command: [join(top, 'bin/agent')] })).toContain('others can replace it');
  });

  it('hold for a readiness check and for runs', () => {
    const commands = [join(top, 'bin/*')];
    const command = [join(top, 'bin/agent')];
    expect(refused({ commands }, { command, readiness: { command: [join(top, 'bin/check')] } })).toBe('');
    expect(refused({ commands }, { command, readiness: { command: ['/bin/sh', '-c', 'x'] } })).toContain(
      'commands does not allow "/bin/sh"',
    );
    expect(refused({ commands }, { run: { command: ['/bin/sh'] } })).toContain('commands does not allow');
  });

  it('treat wrappers and shells as programs', () => {
    const commands = [[join(top, 'bin/agent')]];
    for (const command of [
      ['/usr/bin/env', join(top, 'bin/agent')],
      ['env', join(top, 'bin/agent')],
      ['/bin/sh', '-c', join(top, 'bin/agent')],
      ['nohup', join(top, 'bin/agent')],
    ])
      expect(refused({ commands }, { command })).toContain('commands does not allow');
  });

  it('let a config set no variable and no directory, unless other rules do', () => {
    const commands = [[join(top, 'bin/agent')]];
    const command = [join(top, 'bin/agent')];
    expect(refused({ commands }, { command, env: { LD_PRELOAD: '/tmp/x.so', A: 'b' }, cwd: '/tmp' })).toBe(
      `The policy ${policyFile} of this machine refuses it: environment, which is not there, allows no "LD_PRELOAD", "A"; ` +
        'directories, which is not there, does not hold "/tmp"',
    );
    // the runner's own are not the config's
    expect(refused({ commands }, { command }, { env: { LD_PRELOAD: '' } })).toBe('');
    const env = { QUEUE: 'x', MODEL_NAME: 'y' };
    expect(refused({ commands, environment: ['QUEUE', 'MODEL_*'] }, { command, env })).toBe('');
  });
});

describe('The other rules of a policy', () => {
  it('name each variable that may be set, and contain no value', () => {
    const env = { QUEUE: 's3cret', queue: 's3cret', 'QUEUE\u200b': 's3cret', LD_PRELOAD: 's3cret' };
    const message = refused({ environment: ['QUEUE'] }, { command: ['x'], env });
    expect(message).toMatch(/environment allows no "queue", "QUEUE\\u200b", "LD_PRELOAD"$/);
    expect(message).not.toContain('s3cret');
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`A${at}`.padEnd(500, 'x'), 1]));
    expect(refused({ environment: [] }, { command: ['x'], env: many }).length).toBeLessThan(1_500);
  });

  it('hold a directory with all below it, as the kernel finds it', () => {
    mkdirSync(join(top, 'work/deep'), { recursive: true });
    mkdirSync(join(top, 'work-2'));
    symlinkSync(top, join(top, 'work/out'));
    const isAllowed = (cwd: string) =>
      refused({ directories: [join(top, 'work')] }, { command: ['x'], cwd }) === '';
    expect(['work', 'work/deep', 'work/'].map((it) => isAllowed(`${top}/${it}`))).toEqual([true, true, true]);
    expect(
      ['', 'work-2', 'work/..', 'work/out', 'work/out/work-2', 'no'].map((it) => isAllowed(`${top}/${it}`)),
    ).toEqual([false, false, false, false, false, false]);
    expect(refused({ directories: [] }, { command: ['x'] })).toBe('');
  });

  it('limit replicas and runs at a time', () => {
    expect(refused({ max_replicas: 2 }, { command: ['x'] }, { replicas: 2 })).toBe('');
    expect(refused({ max_replicas: 2 }, { command: ['x'] }, { replicas: 3 })).toContain(
      'max_replicas is 2, and 3 are asked for',
    );
    expect(refused({ max_concurrency: 1 }, { run: { command: ['x'], concurrency: 2 } })).toContain(
      'max_concurrency is 1, and config.run.concurrency is 2',
    );
  });

  it('name accounts, by name or number', () => {
    const account = { uid: 1001, name: 'agents' };
    for (const users of [['agents'], ['1001'], [1001]])
      expect(refused({ users }, { command: ['x'] }, { account })).toBe('');
    for (const users of [[], ['root'], ['Agents'], ['01001']])
      expect(refused({ users }, { command: ['x'] }, { account })).toContain('users has no "agents"');
    expect(() => admissionBy({ users: ['root'] }, account).assertAccount()).toThrow('users has no "agents"');
  });

  it('recognise a config by the hash of its content, in any order', () => {
    const config = { command: ['x'], env: { A: '1', B: '2' } };
    const configs = [hashOfConfig(config)];
    expect(configs).toEqual(['d65f35843578f0f5294ea923ce9282609f66e829b944a98a4ba56d69951de6e0']);
    expect(refused({ configs }, { env: { B: '2', A: '1' }, command: ['x'] })).toBe('');
    for (const other of [
      { ...config, env: { A: '1', B: '3' } },
      { ...config, env: { A: 1, B: '2' } },
      { ...config, cwd: '/' },
      { ...config, command: ['x', ''] },
      JSON.parse('{"command": ["x"], "env": {"A": "1", "B": "2", "__proto__": "x"}}') as object,
      JSON.parse('{"command": ["x"], "env": {"A": "1", "B": "2"}, "__proto__": {}}') as object,
    ]) {
      const message = refused({ configs }, other);
      expect(message).toMatch(/configs has not the hash of this config$/);
      expect(message).not.toContain(hashOfConfig(other));
    }
  });
});

describe('Two policies', () => {
  it('must both allow a start, and a policy that can not be read allows nothing', () => {
    const second = join(top, 'second.yaml');
    writeFileSync(second, 'max_replicas: 1');
    writeFileSync(policyFile, 'max_replicas: 5');
    const admission = new Admission([PolicyFile.given(policyFile), PolicyFile.given(second)]);
    const config = { command: ['x'] };
    const asked = { config, process: readProcessConfig(config), replicas: 2 };
    expect(() => admission.take('d', asked, {})).toThrow(
      `The policy ${second} of this machine refuses it: max_replicas`,
    );
    writeFileSync(second, 'max_replicas: 12');
    admission.take('d', asked, {});
    expect(admission.admit('d', ['x'], {})).toEqual({ command: ['x'], cwd: undefined });
    writeFileSync(second, 'max_replicas: [1, 2]');
    expect(() => admission.admit('d', ['x'], {})).toThrow("second.yaml can't be used");
    rmSync(second);
    expect(() => admission.take('d', asked, {})).toThrow('there is no such file');
  });
});
