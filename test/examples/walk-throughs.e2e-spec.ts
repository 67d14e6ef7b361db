import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { collectSecrets, expectNoLastingSecretIn } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { hasPython } from '../python/python.js';

const hasTools =
  spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;
const walk = hasTools ? it : it.skip;
/** Blocks of the README that make an account and log in: what follows them needs Python. */
const BLOCKS_OF_AN_ACCOUNT = 2;

/**
 * Time for some twenty programs one after the other, and three times the five seconds until a replica counts as ready.
 */
const PATIENCE_MS = 280_000;

let app: TestApp;
let home: string;

beforeAll(async () => {
  app = await startTestApp();
  home = await mkdtemp(join(tmpdir(), 'acp-home-'));
});

afterAll(async () => {
  await app.close();
  await rm(home, { recursive: true, force: true });
});

/** Shell text of a block of a page: a file to write, a command in a separate terminal, or commands. */
function typed([, terminal, language, block = '']: RegExpMatchArray): string {
  const [, file] = /^# (\S+)\n/.exec(block) ?? [];
  if (language === 'yaml') return `cat > ${file} <<'END'\n${block}END\n`;
  return terminal ? `${block.trimEnd()} &\n` : block;
}

/** The password in the pages. */
collectSecrets({ password: 'Correct-horse-7' });

/** Runs the blocks of a page's walk-through, or the first ones of them, one after the other, and returns the output. */
async function walkThrough(page: string, count?: number): Promise<string> {
  const [, chapter = ''] =
    /<!-- walk-through.*?-->([\s\S]*?)(<!-- end of the walk-through -->|$)/.exec(
      await readFile(page, 'utf8'),
    ) ?? [];
  const blocks = [
    ...chapter.matchAll(/(<!-- a terminal of its own -->\n\n)?```(sh|yaml)\n([\s\S]*?)```/g),
  ].map(typed);
  expect(blocks.length).toBeGreaterThan(4);
  const script = blocks.slice(0, count).join('\n').replaceAll('127.0.0.1:8000', new URL(app.url).host);
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  // an interactive shell has aliases; background processes must not outlive it
  const prelude =
    "set -euo pipefail\nshopt -s expand_aliases\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n" +
    `alias svc="node ${resolve('packages/svc/bin/svc.mjs')}"\n`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', `${prelude}${script}`], {
    cwd: page === 'README.md' ? undefined : home,
    env: {
      ...process.env,
      PATH: path,
      HOME: home,
      SERVICE_PASSWORD: 'Correct-horse-7',
      SERVICE_WEB_URL: 'http://127.0.0.1:3000',
    },
    timeout: PATIENCE_MS,
  });
  expectNoLastingSecretIn('the output of a walk-through', `${stdout}${stderr}`);
  return stdout;
}

// one after the other, on one service and with one home directory, in a newcomer's order
describe('The walk-throughs work as they stand', () => {
  walk(
    `of the README, from nothing to an agent that answers (skipped without curl or bash, its agent without python3)`,
    async () => {
      const output = await walkThrough('README.md', hasPython ? undefined : BLOCKS_OF_AN_ACCOUNT);
      if (hasPython) expect(output).toContain('Your question has 5 words');
      if (hasPython) expect(output).toContain('Asked: How many words are these?');
      const [, snippet] = /```python\n([\s\S]*?)```/.exec(await readFile('README.md', 'utf8'))!;
      expect(await readFile('packages/python/examples/answering_agent.py', 'utf8')).toContain(snippet);
    },
    PATIENCE_MS + 20_000,
  );

  walk(
    'of the first steps, to replicas that are killed and a program that takes runs (skipped without curl or bash)',
    async () => {
      const output = await walkThrough('docs/first-steps.md');
      expect(output).toMatch(/tick of \d+/);
      expect(output).toMatch(/degraded +ready -> running/);
      expect(output).toContain('ended by SIGKILL');
      expect(output).toMatch(/"words": ?5/);
    },
    PATIENCE_MS + 20_000,
  );

  walk(
    'of the command line (skipped without curl or bash)',
    async () => {
      const output = await walkThrough('docs/cli.md');
      expect(output).toContain('http://127.0.0.1:3000/agents/');
      expect(output).toMatch(/^\+ +"echo reading again/m);
      expect(output).toContain('reading invoices');
      expect(output).toContain('"health":');
    },
    PATIENCE_MS + 20_000,
  );

  walk('with curl, call by call (skipped without curl or bash)', async () => {
    const output = await walkThrough('docs/curl.md');
    expect(output).toContain('"email":"grace@example.com"');
    expect(output).toContain('"status":"ready"');
    expect(output).toContain('"replicas":3');
    expect(output).toContain('"waiting_reason":"waiting for the agent to poll"');
    expect(output).toContain('"message":"hello"');
    expect(output).toContain('"event_type":"scale"');
    expect(output).toContain('"stopped":1');
    expect(output).toContain('"message":"Can only scale running deployments"');
  });

  walk('of the API, after the one with curl (skipped without curl or bash)', async () => {
    const output = await walkThrough('docs/api.md');
    expect(output).toMatch(/^link: <.*limit=2.*>; rel="next"/im);
    expect(output).toMatch(/^x-total-count: 1\r?$/im);
    expect(output).toMatch(/^attempt 1 was carried out\nidempotency-replayed: true/im);
    expect(output).toContain('"statusCode":422');
    expect(output).toContain('"user_sequence":1');
  });
});
