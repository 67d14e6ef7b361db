import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PolicyFile } from './policy-file.js';

const NOBODY = 65_534;
const isRoot = process.geteuid!() === 0;
let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'policy-file-'));
  path = join(directory, 'run.yaml');
});

afterEach(() => rmSync(directory, { recursive: true }));

const write = (text: string | Uint8Array) => writeFileSync(path, text, { mode: 0o644 });
const read = () => PolicyFile.given(path).read();

/** Ten lines that stand for a billion values. */
const BOMB = Array.from({ length: 9 }, (_, level) => {
  const values = Array(10).fill(level === 0 ? 'x' : `*a${level - 1}`);
  return `a${level}: &a${level} [${values.join(', ')}]`;
}).join('\n');

describe('A policy file', () => {
  it('has rules, each of which may be absent', () => {
    write(
      'commands:\n  - [/usr/bin/python3, /srv/answer.py]\n  - /srv/bin/*\n  - /srv/agent\n' +
        'environment: [QUEUE, MODEL_*]\ndirectories: [/srv]\nusers: [agents, 1001]\nmax_replicas: 3\nmax_concurrency: 0\n' +
        `configs:\n  - ${'0a'.repeat(32)}\n`,
    );
    expect(read()).toEqual({
      commands: [
        { kind: 'arguments', command: ['/usr/bin/python3', '/srv/answer.py'] },
        { kind: 'paths', pattern: '/srv/bin/*' },
        { kind: 'arguments', command: ['/srv/agent'] },
      ],
      environment: ['QUEUE', 'MODEL_*'],
      directories: ['/srv'],
      users: ['agents', '1001'],
      max_replicas: 3,
      max_concurrency: 0,
      configs: ['0a'.repeat(32)],
    });
    write('{}');
    expect(read()).toEqual({});
  });

  it.each([
    ['', 'The file must be YAML'],
    ['# nothing', 'The file must be YAML'],
    ['- commands', 'The file must have rules'],
    ['commands: [', 'The file must be YAML'],
    ['command: []', 'The file has "command": there are commands, environment'],
    ['__proto__: {}\nmax_replicas: 1', 'The file has "__proto__"'],
    ['constructor: []', 'The file has "constructor"'],
    ['commands: []\ncommands: [/bin/sh]', 'The file must be YAML: duplicated mapping key'],
    ['commands: /bin/sh', 'commands must be a list'],
    ['commands: [sh]', 'commands[0] must begin with /'],
    ['commands: [[]]', 'commands[0] must name a program'],
    ['commands: [[/bin/*, x]]', 'commands[0][0] must be one program'],
    ['commands: [[/bin/sleep, 5]]', 'commands[0][1] must be text'],
    ['commands: [/srv/../bin/sh]', 'commands[0] must be a path without'],
    ['environment: [PATH, ""]', 'environment[1] must be text'],
    ['environment: null', 'environment must be a list'],
    ['directories: [/srv/*]', 'directories[0] must have no *'],
    ['max_replicas: -1', 'max_replicas must be a whole number'],
    ['max_replicas: "3"', 'max_replicas must be a whole number'],
    ['max_replicas: 1e400', 'max_replicas must be a whole number'],
    [`configs: [${'0A'.repeat(32)}]`, 'configs[0] must be a hash of 64 digits'],
    [BOMB, 'more than 200000 values when its aliases are written out'],
    ['a: &a [*a]', 'more than 200000 values'],
    ['# '.padEnd(70_000, 'x'), 'it has more than 65536 bytes'],
    [Uint8Array.of(0x23, 0xff), "can't be used: it is not UTF-8"],
  ])('can not be used when it is not understood: %j', (text, reason) => {
    write(text);
    expect(read).toThrow(reason);
    expect(read).toThrow(`The policy ${path} can't be used: `);
  });

  it('can not be used when it is a link, a directory, a pipe, or not there', () => {
    expect(read).toThrow('there is no such file');
    write('{}');
    renameSync(path, join(directory, 'there.yaml'));
    symlinkSync('there.yaml', path);
    expect(read).toThrow('it is a link');
    rmSync(path);
    mkdirSync(path);
    expect(read).toThrow('it is no file');
    rmSync(path, { recursive: true });
    execFileSync('mkfifo', [path]);
    expect(read).toThrow('it is no file');
  });

  it('can not be used when others can write the file or its directory', () => {
    write('{}');
    chmodSync(path, 0o664);
    expect(read).toThrow(/run\.yaml" can be written by its group or by everybody: give it to root/);
    chmodSync(path, 0o600);
    expect(read()).toEqual({});
    chmodSync(directory, 0o777);
    expect(read).toThrow('can be written by its group or by everybody');
  });

  (isRoot ? it : it.skip)(
    'can not be used when it belongs to somebody else (only root can give it away)',
    () => {
      write('{}');
      chownSync(path, NOBODY, NOBODY);
      expect(read).toThrow(`belongs to account ${NOBODY}`);
      expect(() => PolicyFile.ofMachine(path).read()).toThrow('give it to root, and let nobody else write');
      chownSync(path, 0, 0);
      chownSync(directory, NOBODY, NOBODY);
      expect(read).toThrow(`belongs to account ${NOBODY}`);
    },
  );

  (isRoot ? it.skip : it)('of the machine can not be used when it does not belong to root', () => {
    write('{}');
    expect(() => PolicyFile.ofMachine(path).read()).toThrow(`belongs to account ${process.geteuid!()}`);
  });

  it('is read again when another one is in its place', () => {
    write('max_replicas: 1');
    const file = PolicyFile.given(path);
    expect(file.read()).toEqual({ max_replicas: 1 });
    const next = join(directory, 'next.yaml');
    writeFileSync(next, 'max_replicas: 2');
    renameSync(next, path);
    expect(file.read()).toEqual({ max_replicas: 2 });
    write('max_replicas: no');
    expect(() => file.read()).toThrow('max_replicas must be');
    write('max_replicas: 3');
    expect(file.read()).toEqual({ max_replicas: 3 });
  });
});

describe('The policy of the machine', () => {
  it('may be absent, but not be removed, nor be behind a link that leads nowhere', () => {
    const file = PolicyFile.ofMachine(path);
    expect(file.read()).toBeUndefined();
    expect(PolicyFile.ofMachine(join(directory, 'no', 'such')).read()).toBeUndefined();
    symlinkSync('not-mounted', join(directory, 'svc'));
    expect(() => PolicyFile.ofMachine(join(directory, 'svc', 'run.yaml')).read()).toThrow(
      'which is not there',
    );
    if (!isRoot) return;
    write('{}');
    expect(file.read()).toEqual({});
    rmSync(path);
    expect(() => file.read()).toThrow('it has been removed');
  });
});
