import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { printedBy } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

/** `AgentRuntime` in a separate process, used as in the documentation. */
const PROGRAM = join(import.meta.dirname, 'library-agent.mjs');

let app: TestApp;
let person: Person;
let agent: TestAgent;
let directory: string;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'library-agent-'));
  agent = await createAgent(app, person);
});

afterEach(() => rmSync(directory, { recursive: true }));

/** Runs the program to its end; one that hangs is killed. */
async function run(variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env.PATH,
      SERVICE_API_URL: app.url,
      SERVICE_AGENT_KEY: agent.key,
      STATE_DIR: directory,
      ...variables,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  printedBy('the output of an agent with the library', child);
  const [stderr, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { stderr, code, signal };
}

it('An agent of the library sends its last heartbeat when SIGTERM arrives while the state file is written', async () => {
  const id = await deploy(person, agent);
  expect(await run()).toEqual({ stderr: '', code: 0, signal: null });
  expect((await person.api.get(`/deployments/${id}`)).body).toMatchObject({
    status: 'running',
    ready_replicas: 0,
    observed_generation: 1,
  });
  const [command] = (await person.api.get(`/deployments/${id}/commands`)).body;
  expect(command).toMatchObject({ state: 'succeeded' });
});

it('An agent of the library warns of a report that the service has refused', async () => {
  await deploy(person, agent);
  expect(await run({ RESTARTS: '1.5' })).toMatchObject({
    stderr:
      'The service has refused a report of this deployment: restart_count must be a whole number from 0 to 2147483647\n',
    code: 0,
  });
});

it.each([
  ['can not be made', '/proc/nowhere/state', 'ENOENT'],
  ['can not be written to', '/proc/self', 'ENOENT'],
  ['is a file', process.execPath, 'EEXIST'],
])(
  'An agent of the library refuses to start with a state directory that %s, and says what to do',
  async (_, stateDir, code) => {
    const { stderr, ...end } = await run({ STATE_DIR: stateDir });
    expect(end).toEqual({ code: 1, signal: null });
    expect(stderr).toContain(
      `StateDirectoryError: The state directory ${stateDir} can't be written (${code}): ` +
        'give this user write access to it, or choose another one',
    );
  },
);
