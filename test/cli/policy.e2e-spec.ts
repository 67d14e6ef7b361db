import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_POLICY } from '../../packages/svc/src/runner/policy/policy-file.js';
import { type Outcome, SvcHere } from './running-svc.js';

let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-policy-')));
});

afterEach(() => rmSync(home, { recursive: true }));

/** Nobody is logged in, and there is no service at the address. */
function svc(args: readonly string[], input = ''): Promise<Outcome> {
  const environment = { HOME: home, PATH: '/usr/bin:/bin', SERVICE_API_URL: 'http://127.0.0.1:9' };
  return new SvcHere(['policy', ...args], input, environment, () => undefined).ended();
}

function file(name: string, text: string): string {
  const path = join(home, name);
  writeFileSync(path, text, { mode: 0o644 });
  return path;
}

describe('docs/run-policy.md', () => {
  it('contains a policy, a config, and the output of svc about them', async () => {
    const page = readFileSync('docs/run-policy.md', 'utf8');
    const [, policy] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const [, config] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const [, printed] = /prints:\n\n```\n([\s\S]*?)```/.exec(page) ?? [];
    const policyFile = file('run.yaml', policy!);
    const { code, stdout } = await svc(['check', file('config.json', config!), '--policy', policyFile]);
    expect({ code, stdout: stdout.replaceAll(policyFile, SYSTEM_POLICY) }).toEqual({
      code: 1,
      stdout: printed,
    });
  });
});

describe('svc policy check', () => {
  it('says that a config is allowed, for a number of replicas', async () => {
    const policy = file('run.yaml', 'commands: [/bin/sh]\nmax_replicas: 2\n');
    const config = JSON.stringify({ command: ['sh', '-c', 'true'], readiness: { command: ['/bin/sh'] } });
    expect(await svc(['check', '-', '--policy', policy, '--replicas', '2'], config)).toMatchObject({
      code: 0,
      stdout: `Allowed by ${policy}\n`,
    });
    const refused = await svc(
      ['check', '-', '--policy', policy, '--replicas', '3', '--output', 'json'],
      config,
    );
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toEqual({
      is_allowed: false,
      policies: [policy],
      refusals: [`The policy ${policy} of this machine refuses it: max_replicas is 2, and 3 are asked for`],
    });
  });

  it.each([
    ['{"command": []}', 'config.command must be a list of strings', 2],
    ['{', 'must be JSON', 2],
    ['[]', 'must be an object like', 2],
    ['{"command": ["x"], "env": {"A": {"secret": true}}}', 'The value of "A" is masked in this config', 2],
  ])('refuses a config that no agent could have: %s', async (config, message, code) => {
    const outcome = await svc(['check', '-'], config);
    expect(outcome).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  it('names a policy that can not be used', async () => {
    const policy = file('run.yaml', 'command: []');
    expect(await svc(['check', '-', '--policy', policy], '{"command": ["x"]}')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The policy ${policy} can't be used: The file has "command"`),
    });
  });
});

describe('svc policy hash', () => {
  const HASH = 'd65f35843578f0f5294ea923ce9282609f66e829b944a98a4ba56d69951de6e0';

  it.each([
    '{"command":["x"],"env":{"A":"1","B":"2"}}',
    '{ "env": {"B": {"secret": "2"}, "A": "1"},\n "command": ["x"] }',
  ])('prints the hash of the canonical JSON, with secrets as the process gets them: %s', async (config) => {
    expect(await svc(['hash', '-'], config)).toMatchObject({ code: 0, stdout: `${HASH}\n` });
    expect(JSON.parse((await svc(['hash', file('c.json', config), '--output', 'json'])).stdout)).toEqual({
      sha256: HASH,
    });
  });

  it('has none of a config whose secrets are not shown', async () => {
    const outcome = await svc(['hash', '-'], '{"env": {"A": {"secret": true}}}');
    expect(outcome).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('write it out') });
  });
});
