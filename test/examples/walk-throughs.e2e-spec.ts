import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startTestApp, type TestApp } from '../harness/test-app.js';

const hasTools =
  spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;
const walk = hasTools ? it : it.skip;

/** For a score of programs one after the other, and three times the five seconds until a replica counts as ready. */
const PATIENCE_MS = 280_000;

let app: TestApp;
let home: string;

beforeEach(async () => {
  app = await startTestApp();
  home = await mkdtemp(join(tmpdir(), 'acp-home-'));
});

afterEach(async () => {
  await app.close();
  await rm(home, { recursive: true, force: true });
});

/** The blocks of a page's walk-through, one after the other, as one would type them; what it prints. */
async function walkThrough(page: string): Promise<string> {
  const [, chapter = ''] =
    /<!-- walk-through.*?-->([\s\S]*?)(\n## |$)/.exec(await readFile(page, 'utf8')) ?? [];
  const blocks = [...chapter.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  expect(blocks.length).toBeGreaterThan(5);
  const script = blocks.join('\n').replace('http://127.0.0.1:8000', app.url);
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  // an interactive shell knows aliases; what is left in the background when a line fails must not outlive it
  const prelude =
    "set -euo pipefail\nshopt -s expand_aliases\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT";
  const { stdout } = await promisify(execFile)('bash', ['-c', `${prelude}\n${script}`], {
    env: { ...process.env, PATH: path, HOME: home },
    timeout: PATIENCE_MS,
  });
  return stdout;
}

describe('The walk-throughs work as they stand', () => {
  walk(
    'with svc, from nothing to an agent whose process runs (skipped where there is no curl or bash)',
    async () => {
      const output = await walkThrough('README.md');
      expect(output).toMatch(/tick of \d+/);
      expect(output).toMatch(/degraded +ready -> running/);
      expect(output).toContain('ended by SIGKILL');
    },
    PATIENCE_MS + 20_000,
  );

  walk('with curl, call by call (skipped where there is no curl or bash)', async () => {
    const output = await walkThrough('docs/curl.md');
    expect(output).toContain('"email":"ada@example.com"');
    expect(output).toContain('"status":"ready"');
    expect(output).toContain('"replicas":3');
    expect(output).toContain('"waiting_reason":"waiting for the agent to poll"');
    expect(output).toContain('"message":"hello"');
    expect(output).toContain('"event_type":"scale"');
    expect(output).toContain('"stopped":1');
    expect(output).toContain('"message":"Can only scale running deployments"');
  });
});
