import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KIT = 'packages/conformance/dist/main.js';
const AGENT = [process.execPath, 'test/conformance/example-agent/run.mjs', '--port', '1'];

/** @param traits of the example agent */
function run(args: readonly string[], traits = ''): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, TRAITS: traits };
    const child = execFile(process.execPath, [KIT, ...args], { env }, (_, stdout) =>
      resolve({ code: child.exitCode!, stdout }),
    );
  });
}

const directory = mkdtempSync(join(tmpdir(), 'conformance-kit-'));

afterAll(() => rmSync(directory, { recursive: true }));

// concurrently, because they wait for scenarios that take seconds
describe('The command of the conformance kit', () => {
  it.concurrent('runs the command unchanged, and writes the outcome as XML', async () => {
    const file = join(directory, 'junit.xml');
    const { code, stdout } = await run(['--scenario', 'superseded', '--junit', file, ...AGENT]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(' 0 failed')]);
    expect(readFileSync(file, 'utf8')).toMatch(
      /<testsuite name="superseded" tests="\d+" failures="0" skipped="0"/,
    );
  });

  it.concurrent('fails an agent that starts nothing and acknowledges everything', async () => {
    const args = ['--scenario', 'superseded', '--patience', '2', '--', ...AGENT];
    const { code, stdout } = await run(args, 'starts-nothing');
    expect(code).toBe(1);
    expect(stdout).toContain('NOT JUDGED The agent runs as many replicas');
  });

  it.concurrent('passes rules that could not be judged only with the option for it', async () => {
    const args = ['--scenario', 'poisoned-log'];
    const [refused, allowed] = await Promise.all([
      run([...args, ...AGENT], 'logs-nothing'),
      run([...args, '--allow-unjudged', ...AGENT], 'logs-nothing'),
    ]);
    expect([refused.code, allowed.code]).toEqual([1, 0]);
    for (const { stdout } of [refused, allowed]) expect(stdout).toContain(' 0 failed, 2 not judged');
  });

  it.concurrent('prints the exchange to which a message refers', async () => {
    const { code, stdout } = await run(['--scenario', 'refused-once', ...AGENT], 'puts-its-key-in-urls');
    expect(code).toBe(1);
    expect(stdout).toContain('> POST /agents/register?key=<the key>');
    expect(stdout).toMatch(/< 200 after \d+ ms\n +< \{"agent_id"/);
  });
});
