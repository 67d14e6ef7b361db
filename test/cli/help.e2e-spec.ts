import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Svc } from './svc.js';

let svc: Svc;

beforeAll(async () => {
  svc = await Svc.at('http://127.0.0.1:9');
});

afterAll(() => svc.removeHome());

/** The commands in a help text. */
function listed(help: string): string[] {
  const [, commands = ''] = /\nCommands:\n([\s\S]*?)\n\n/.exec(`${help}\n\n`) ?? [];
  return [...commands.matchAll(/^ {2}([^\s|]+)\S* +\S/gm)].map(([, name]) => name!);
}

describe('svc --help', () => {
  it('shows every command of the specification, each with examples, without asking the service', async () => {
    const root = await svc.succeeds(['--help']);
    expect(root).toContain('Exit codes:');
    expect(await svc.succeeds([])).toBe(root);
    const names: string[] = [];
    for (const word of listed(root)) {
      const help = await svc.succeeds([word, '--help']);
      const verbs = listed(help).map((verb) => `${word} ${verb}`);
      // a word with verbs may be a command as well
      const isCommand = help.includes('\nExamples:\n  $ svc ');
      expect(isCommand || verbs.length > 0).toBe(true);
      names.push(...(isCommand ? [word] : []), ...verbs);
    }
    const manual = (await svc.succeeds(['man'])).replaceAll('\\-', '-');
    expect(names.filter((name) => !manual.includes(`svc ${name}`))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['status', 'login', 'logout', 'whoami', 'events', 'audit', 'run', 'completion'],
        ...['list', 'status', 'logs', 'metrics', 'deploy', 'stop', 'delete', 'create'].map(
          (it) => `agents ${it}`,
        ),
        ...['list', 'get', 'create', 'events', 'scale', 'restart', 'logs', 'metrics', 'delete'].map(
          (it) => `deploy ${it}`,
        ),
        ...['list', 'create', 'rotate', 'revoke'].map((it) => `api-keys ${it}`),
        ...['list', 'create', 'get', 'update', 'delete', 'test', 'deliveries', 'redeliver'].map(
          (it) => `webhooks ${it}`,
        ),
      ]),
    );
    expect(await svc.succeeds(['help', 'agents', 'list'])).toBe(
      await svc.succeeds(['agents', 'list', '--help']),
    );
  });

  it('loads no module of a command, the runner or the client', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-coverage-'));
    try {
      const help = svc.startProcess(['--help'], { env: { NODE_V8_COVERAGE: directory } });
      expect((await help.ended()).code).toBe(0);
      const loaded: string[] = [];
      for (const file of await readdir(directory)) {
        const { result } = JSON.parse(await readFile(join(directory, file), 'utf8'));
        loaded.push(...result.map(({ url }: { url: string }) => url));
      }
      expect(loaded).toEqual(expect.arrayContaining([expect.stringContaining('/cli/command-line.js')]));
      expect(
        loaded.filter((url) => /\/(commands|client|runner|@inquirer|cli-table3|undici)\//.test(url)),
      ).toEqual([]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('A wrong command line', () => {
  it.each([
    [['agent'], 'did you mean "agents"?'],
    [['agents', 'lst'], 'did you mean "list"?'],
    [['agents'], 'svc agents needs a command. One of list, '],
    [['agents', 'list', '--statsu', 'x'], 'Did you mean --status?'],
    [['agents', 'list', '--status', 'tired'], 'Allowed choices are creating, running'],
    [['agents', 'list', '--limit', 'many'], 'whole number'],
    [['agents', 'list', '--output', 'xml'], 'table, wide, json, yaml, name'],
    [['agents', 'status'], "missing required argument 'agent'"],
    [['deploy', 'scale', '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d'], 'the number of replicas once'],
    [['register'], 'Unknown command "register"; see svc --help'],
  ])('prints one line that says what to do, and exits with 2: %j', async (args, expected) => {
    const outcome = await svc.run(args);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^Error: [^\n]+\n$/);
    expect(outcome.stderr.toLowerCase()).toContain(expected.toLowerCase());
  });
});

describe('An invalid config file', () => {
  it.each([
    ['no JSON', '{"api_key": "secret-token'],
    ['no object', '["secret-token"]'],
    ['a key that is no string', '{"api_key": {"secret-token": 1}}'],
    ['a key that can not be sent', '{"api_key": "secret-token\\nx"}'],
    ['an address that is no string', '{"api_url": 7, "api_key": "secret-token"}'],
    ['contexts that are no list', '{"contexts": "secret-token"}'],
  ])(
    'is named in one line without its content, and is renamed by the next login or logout: %s',
    async (_what, content) => {
      await svc.writeConfig(content);
      const outcome = await svc.run(['agents', 'list']);
      expect(outcome).toMatchObject({ code: 1, stdout: '' });
      expect(outcome.stderr).toMatch(/^Error: .*config\.json .*: repair it, or run "svc login".*\n$/);
      expect(outcome.stderr).not.toContain('secret-token');
      expect(await readFile(svc.configFile, 'utf8')).toBe(content);
      const logout = await svc.run(['logout']);
      expect(logout).toMatchObject({ code: 0, stderr: expect.stringContaining(`${svc.configFile}.broken`) });
      expect(await readFile(`${svc.configFile}.broken`, 'utf8')).toBe(content);
      expect(await svc.config()).toMatchObject({ api_key: null });
    },
  );
});

describe('packages/svc/bin/svc.mjs', () => {
  it('starts the command line from any directory, and passes on its exit code', () => {
    const launcher = join(process.cwd(), 'packages/svc/bin/svc.mjs');
    const options = {
      cwd: tmpdir(),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: svc.home },
    } as const;
    const help = spawnSync(process.execPath, [launcher, '--help'], options);
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: svc');
    expect(spawnSync(process.execPath, [launcher, 'whoami'], options).status).toBe(3);
    expect(spawnSync(launcher, ['--version'], options).stdout.trim()).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe.each([
  { name: 'svc', folder: 'packages/svc', wrong: 1 },
  { name: 'agent-conformance', folder: 'packages/conformance', wrong: 2 },
])('The launcher of $name', ({ name, folder, wrong }) => {
  let checkout: string;

  beforeEach(async () => {
    checkout = await mkdtemp(join(tmpdir(), 'svc-checkout-'));
    for (const part of ['package.json', 'bin'])
      await cp(join(folder, part), join(checkout, folder, part), { recursive: true });
  });

  afterEach(() => rm(checkout, { recursive: true, force: true }));

  const launch = () => {
    const launcher = join(checkout, folder, 'bin', `${name}.mjs`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, '--help'], {
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  it('names the next step if the project is not built', () => {
    const stderr = `Error: ${name} is not built yet: run "npm run build" in ${checkout}/\n`;
    expect(launch()).toEqual({ status: wrong, stdout: '', stderr });
  });

  it('names the oldest Node of package.json when this one is older', async () => {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    manifest.engines.node = '>=100.2';
    await writeFile(join(checkout, folder, 'package.json'), JSON.stringify(manifest));
    const { node } = process.versions;
    const stderr = `Error: ${name} needs Node 100.2 or newer, and this is ${node}: install a newer one\n`;
    expect(launch()).toEqual({ status: wrong, stdout: '', stderr });
  });
});
