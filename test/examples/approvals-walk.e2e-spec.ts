import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

const hasTools = ['curl', 'jq', 'bash'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const walk = hasTools ? it : it.skip;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

walk(
  'The walk of docs/approvals.md works as it stands: an agent asks, a person approves, and the agent gets the answer (skipped without curl, jq or bash)',
  async () => {
    const { key } = await createAgent(app, person);
    const [, script] = /```sh\n([\s\S]*?)```/.exec(await readFile('docs/approvals.md', 'utf8'))!;
    const names = { API: app.url, AGENT_KEY: key, TOKEN: person.accessToken };
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script!], {
      env: { ...process.env, ...names },
    });
    expect(stdout.trim().split('\n')).toEqual(['Pay invoice 4711', 'approved', 'approved']);
    expect((await person.api.get('/approvals')).body).toMatchObject([{ reason: 'The invoice is right' }]);
  },
);
