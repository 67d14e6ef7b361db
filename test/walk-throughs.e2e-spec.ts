import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { startTestApp, type TestApp } from './harness/test-app.js';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

/** The walk-through's blocks, one after the other, as one would type them. */
async function walkThrough(): Promise<string> {
  const readme = await readFile('README.md', 'utf8');
  const [, chapter = ''] = /<!-- walk-through.*?-->([\s\S]*?)\n## /.exec(readme) ?? [];
  const blocks = [...chapter.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  expect(blocks.length).toBeGreaterThan(5);
  return blocks.join('\n').replace('http://127.0.0.1:8000', app.url);
}

describe("The README's walk-through", () => {
  (hasCurl ? it : it.skip)('works as it stands (skipped where there is no curl)', async () => {
    // The last block shows an error on purpose, so it asks curl not to fail; every other line must succeed.
    const script = `set -euo pipefail\n${await walkThrough()}`;
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...process.env, PATH: path },
    });
    expect(stdout).toContain('"email":"ada@example.com"');
    expect(stdout).toContain('"status":"ready"');
    expect(stdout).toContain('"replicas":3');
    expect(stdout).toContain('"waiting_reason":"waiting for the agent to poll"');
    expect(stdout).toContain('"message":"hello"');
    expect(stdout).toContain('"event_type":"scale"');
    expect(stdout).toContain('"stopped":1');
    expect(stdout).toContain('"message":"Can only scale running deployments"');
  });
});
