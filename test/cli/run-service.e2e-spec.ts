import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asNobody, because, onRoot } from '../runner/nobody.js';
import { Svc } from './svc.js';

/** `svc run install` and `uninstall`, without systemd: a program of the same name stands for it. */
let svc: Svc;
beforeEach(async () => (svc = await Svc.at('http://127.0.0.1:9')));
afterEach(() => svc.removeHome());

const KEY = ['--key-file', '/etc/svc/agent.key'];
const print = (...more: string[]) => svc.succeeds(['run', 'install', ...KEY, '--print', ...more]);

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
const withAnalyze = hasAnalyze ? it : it.skip;

describe('svc run install --print', () => {
  it('shows a unit without a login, with the key as a credential and an account of its own', async () => {
    const lines = (await print()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'DynamicUser=yes',
        'LoadCredential=agent-key:/etc/svc/agent.key',
        'StateDirectory=svc-run',
        'Environment=HOME=%S/svc-run',
        'Environment="SERVICE_API_URL=http://127.0.0.1:9"',
        'NoNewPrivileges=yes',
        'ProtectHome=yes',
        'ProtectSystem=strict',
        'PrivateTmp=yes',
        'Restart=always',
        'KillMode=mixed',
      ]),
    );
    const start = lines.find((line) => line.startsWith('ExecStart='))!;
    expect(start).toMatch(
      /^ExecStart="[^"]+node[^"]*" "[^"]+svc\.mjs" run --key-file \$\{CREDENTIALS_DIRECTORY\}\/agent-key --state-dir \$\{STATE_DIRECTORY\}\/agent$/,
    );
  });

  it('names the account and the service that are given', async () => {
    const unit = await print('--user', 'daemon', '--name', 'reader');
    expect(unit).toContain('\nUser=daemon\n');
    expect(unit).toContain('\nStateDirectory=svc-run-reader\n');
    expect(unit).not.toContain('DynamicUser');
  });

  it('escapes specifiers of systemd in a path or an address', async () => {
    const unit = await svc.succeeds([
      ...['run', 'install', '--key-file', '/etc/svc/100%.key', '--print'],
      ...['--api-url', 'http://127.0.0.1:9/$a%25"b'],
    ]);
    expect(unit).toContain('LoadCredential=agent-key:/etc/svc/100%%.key');
    expect(unit).toContain('Environment="SERVICE_API_URL=http://127.0.0.1:9/$$a%%25%%22b"');
  });

  withAnalyze(
    `shows a unit that systemd takes${hasAnalyze ? '' : ' (skipped: no systemd-analyze)'}`,
    async () => {
      const file = join(svc.home, 'svc-run.service');
      writeFileSync(file, await print());
      const { stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      expect(stderr.split('\n').filter((line) => line.includes('svc-run.service'))).toEqual([]);
    },
  );

  it.each([
    [['run', 'install', '--print'], 'Give --key-file'],
    [['run', 'install', '--key-file', '/a\nUser=root', '--print'], 'no control characters'],
    [['run', 'install', ...KEY, '--print', '--name', '../x'], '1 to 40 letters'],
    [['run', 'install', ...KEY, '--print', '--user', 'root'], '--user must not be root'],
    [['run', 'install', ...KEY, '--print', '--user', 'x\nUser=root'], 'is not an account name'],
    [['run', 'install', ...KEY, '--print', '--user', 'no-such-account'], 'has no account'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await svc.run(args);
    expect({ isRefused: code !== 0, stdout, stderr }).toEqual({
      isRefused: true,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});

onRoot(`svc run install${because}`, () => {
  it('names the command for root, with no rights', async () => {
    chmodSync(svc.home, 0o755);
    for (const [args, expected] of [
      [['run', 'install', '--key-file', '/etc/svc/a b.key'], "run install --key-file '/etc/svc/a b.key'"],
      [['run', 'uninstall', '--name', 'reader'], 'run uninstall --name reader'],
    ] as const) {
      const { code, stderr } = await svc.startProcess(args, {}, asNobody).ended();
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: Only root can do that: run sudo \//);
      expect(stderr).toContain(`packages/svc/bin/svc.mjs ${expected}`);
    }
  });
});

/** A mount namespace, in which the units are the test's own, and the checkout is where a service could see it. */
const IN_PLACE = ['unshare', '--mount', 'sh', '-c'];
const OWN_UNITS = 'mount -t tmpfs tmpfs /etc/systemd/system && mount --bind "$PWD" /mnt';
const canMount =
  existsSync('/etc/systemd/system') &&
  spawnSync(IN_PLACE[0]!, [...IN_PLACE.slice(1), OWN_UNITS]).status === 0;
const inPlace = canMount ? describe : describe.skip;

inPlace(
  `The unit of svc run install${canMount ? '' : ' (skipped: no mount namespaces, or no systemd)'}`,
  () => {
    let bin: string;
    let key: string;
    let diary: string;

    beforeEach(() => {
      bin = join(svc.home, 'bin');
      key = join(svc.home, 'agent.key');
      diary = join(svc.home, 'diary');
      mkdirSync(bin);
      const lines = `echo "$*" >>${diary}; cp /etc/systemd/system/*.service ${svc.home} 2>/dev/null; exit 0`;
      writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
      writeFileSync(key, 'svc_agent_key\n', { mode: 0o600 });
    });

    /** Runs lines of a shell, in which `svc` is the program, and the unit is `$UNIT`. */
    const shell = (lines: string) => {
      const node = process.execPath.replace(process.cwd(), '/mnt');
      const prelude = `svc() { ${node} /mnt/packages/svc/dist/cli/main.js "$@"; }; UNIT=/etc/systemd/system/svc-run.service`;
      const [program, ...args] = [...IN_PLACE, `${OWN_UNITS}; ${prelude}; ${lines}`];
      const env = {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: svc.home,
        SERVICE_API_URL: 'http://127.0.0.1:9',
        KEY: key,
      };
      return spawnSync(program, args, { env, encoding: 'utf8' });
    };

    it('is written, started, and removed again', () => {
      const { stdout, stderr } = shell(
        'svc run install --key-file "$KEY" && stat -c %a "$UNIT" && svc run uninstall && ls "$UNIT"',
      );
      expect(stdout).toMatch(
        /^Installed .*svc-run\.service.*\n644\nRemoved svc-run\.service; its state is left/,
      );
      expect(stderr).toMatch(/^ls: /);
      expect(readFileSync(diary, 'utf8')).toBe(
        [
          ...['daemon-reload', 'enable svc-run.service', 'restart svc-run.service'],
          ...['disable --now svc-run.service', 'daemon-reload', ''],
        ].join('\n'),
      );
      const unit = readFileSync(join(svc.home, 'svc-run.service'), 'utf8');
      expect(unit).toContain(`LoadCredential=agent-key:${key}`);
      expect(unit).not.toContain('svc_agent_key');
    });

    it.each([
      [
        'a unit of somebody else',
        'echo "[Service]" >"$UNIT"',
        'svc-run.service was not created by svc run install',
      ],
      [
        'a link in its place',
        'ln -s /etc/passwd "$UNIT"',
        'svc-run.service was not created by svc run install',
      ],
      ['a key that others can read', 'chmod 644 "$KEY"', 'can be read by others than root'],
      ['a key of somebody else', 'chown nobody "$KEY"', 'can be read by others than root'],
      ['a file without a key', ': >"$KEY"', 'is empty'],
      ['no key', 'rm "$KEY"', 'is not a file'],
      ['a key that others can exchange', 'chmod 777 "$HOME"', 'Other accounts can write to'],
    ])('is not written for %s', (_what, first, message) => {
      const { stderr, status } = shell(`${first}; svc run install --key-file "$KEY"`);
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(message) });
      expect(existsSync(diary)).toBe(false);
    });

    it('reports the error of systemd, and a missing systemd', () => {
      writeFileSync(join(bin, 'systemctl'), '#!/bin/sh\necho "Unit is masked." >&2; exit 1\n');
      const failed = shell('svc run install --key-file "$KEY"');
      expect(failed.stderr).toContain('systemctl daemon-reload has failed: Unit is masked.');
      const without = shell('PATH=/no/such; svc run install --key-file "$KEY"');
      expect(without.stderr).toContain('systemctl is not there: svc run install needs systemd');
    });
  },
);
