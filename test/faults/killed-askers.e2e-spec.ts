import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { bodyOf, decided, type TestApproval } from '../builders/approvals.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { hasPython, PYTHON, PYTHON_ENVIRONMENT } from '../python/python.js';

const IN_PYTHON = [PYTHON, 'packages/python/tests/asking_agent.py'];
const AGENTS: [title: string, command: string[]][] = [
  ['in TypeScript', [process.execPath, 'test/runner/asking-agent.mjs']],
  ...(hasPython
    ? ([
        ['in Python with threads', [...IN_PYTHON, 'threads']],
        ['in Python with asyncio', [...IN_PYTHON, 'asyncio']],
      ] satisfies [string, string[]][])
    : []),
];

let app: TestApp;
const children: ChildProcess[] = [];

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await app.close();
});

function start([program, ...args]: string[], { key }: TestAgent): ChildProcess {
  const keys = { SERVICE_API_URL: app.url, SERVICE_AGENT_KEY: key };
  const child = spawn(program!, args, {
    env: { ...process.env, ...PYTHON_ENVIRONMENT, ...keys },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

const questionsOf = async ({ api }: Person): Promise<TestApproval[]> =>
  bodyOf(await api.get('/approvals'), 200);

describe('An agent that is killed between its question and the answer', () => {
  it.concurrent.each(AGENTS)(
    'finds its question when it starts again, asks nothing twice, and acts as a person decides: %s',
    async (_, command) => {
      const person = await registerPerson(app);
      const agent = await createAgent(app, person);
      const first = start(command, agent);
      const [asked] = await until(async () => {
        const listed = await questionsOf(person);
        return listed.length > 0 && listed;
      });
      first.kill('SIGKILL');
      await once(first, 'exit');
      const second = start(command, agent);
      const [printed, code] = [text(second.stdout!), once(second, 'exit')];
      await decided(person, asked!, { decision: 'edit', edited_args: { to: 'DE02', euros: 20 } });
      expect(JSON.parse(await printed)).toEqual({ state: 'edited', args: { to: 'DE02', euros: 20 } });
      expect(await code).toEqual([0, null]);
      expect(await questionsOf(person)).toMatchObject([{ id: asked!.id, state: 'edited' }]);
    },
  );
});
