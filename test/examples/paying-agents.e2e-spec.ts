import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bodyOf, decided, type TestApproval } from '../builders/approvals.js';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, eventsOf, readRun } from '../builders/runs.js';
import { printedBy } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { hasPython, PYTHON, PYTHON_ENVIRONMENT } from '../python/python.js';

const IN_PYTHON = 'packages/python/examples/paying_agent.py';
const EXAMPLES: [title: string, command: string[]][] = [
  ['in TypeScript', [process.execPath, 'packages/client/examples/paying-agent.mjs']],
  ...(hasPython ? ([['in Python', [PYTHON, IN_PYTHON]]] satisfies [string, string[]][]) : []),
];

let app: TestApp;
let directory: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
  directory = await mkdtemp(join(tmpdir(), 'paying-agents-'));
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await app.close();
  await rm(directory, { recursive: true, force: true });
});

function start([program, file]: string[], { id, key }: TestAgent): ChildProcess {
  const keys = { SERVICE_API_URL: app.url, SERVICE_AGENT_KEY: key, STATE_DIR: join(directory, id) };
  const child = spawn(program!, [resolve(file!)], {
    cwd: directory,
    env: { ...process.env, ...PYTHON_ENVIRONMENT, ...keys },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  printedBy('the output of an agent that pays', child);
  children.push(child);
  return child;
}

describe('The example that asks before it pays', () => {
  it.concurrent.each(EXAMPLES)('pays exactly the approved amount: %s', async (_, command) => {
    const person: Person = await registerPerson(app);
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const child = start(command, agent);
    const askedFor = async (invoice: number): Promise<[string, TestApproval]> => {
      const { id } = await ask(person, agent, { input: { invoice, to: 'DE02', euros: 120 } });
      const find = async () =>
        bodyOf(await person.api.get('/approvals'), 200).find((each: TestApproval) => each.run_id === id);
      return [id, await until(find)];
    };
    const ended = (id: string) =>
      until(async () => {
        const run = await readRun(person, id);
        return run.ended_at !== null && run;
      });
    const [paid, question] = await askedFor(4711);
    expect(question).toMatchObject({ title: 'Pay invoice 4711', risk: 'high' });
    expect(question.action).toEqual({ name: 'send_payment', args: { to: 'DE02', euros: 120 } });
    await decided(person, question);
    expect(await ended(paid)).toMatchObject({ status: 'succeeded', output: { paid: 120, to: 'DE02' } });
    expect(await eventsOf(person, paid)).toContain('approval_decided');
    const [refused, other] = await askedFor(4712);
    await decided(person, other, { decision: 'reject', reason: 'It is paid already' });
    expect(await ended(refused)).toMatchObject({
      status: 'failed',
      error: `send_payment is rejected by user:${person.id}: It is paid already`,
    });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('is the snippet of the README in Python', async () => {
    const page = await readFile('packages/python/README.md', 'utf8');
    const [, snippet] =
      /(from agent_control_plane import AgentRun, ApprovalQuestion, answer_runs\n[^`]*)```/.exec(page)!;
    expect(await readFile(IN_PYTHON, 'utf8')).toContain(snippet);
  });
});
