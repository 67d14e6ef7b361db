import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, eventsOf, readRun } from '../builders/runs.js';
import { printedBy } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { hasPython, PYTHON, PYTHON_ENVIRONMENT, PYTHON_NEEDED } from './python.js';

const EXAMPLE = `${process.cwd()}/packages/python/examples/answering_agent.py`;
const ASYNC = `${process.cwd()}/packages/python/tests/taking_agent.py`;

(hasPython ? describe : describe.skip)(`Runs in Python ${PYTHON_NEEDED}`, () => {
  let app: TestApp;
  let person: Person;
  let directory: string;
  const children: ChildProcess[] = [];

  const start = (program: string, agent: TestAgent) => {
    const keys = { SERVICE_API_URL: app.url, SERVICE_AGENT_KEY: agent.key };
    const child = spawn(PYTHON, [program], {
      cwd: directory,
      env: { ...process.env, ...PYTHON_ENVIRONMENT, ...keys },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    printedBy('the output of an agent in Python', child);
    children.push(child);
    return child;
  };
  const becomes = (id: string, status: string) =>
    until(async () => (await readRun(person, id)).status === status);

  beforeAll(async () => {
    app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
    person = await registerPerson(app);
  });

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'python-runs-'));
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  afterAll(() => app.close());

  it('are answered by an example of ten lines, with its log', async () => {
    expect((await readFile(EXAMPLE, 'utf8')).trim().split('\n').length).toBeLessThanOrEqual(10);
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const child = start(EXAMPLE, agent);
    const headers = { Prefer: 'wait=30' };
    const body = { input: { question: 'How many words are these?' } };
    const reply = await person.api.post(`/agents/${agent.id}/runs`, body, { headers });
    expect(reply).toMatchObject({
      status: 200,
      body: { status: 'succeeded', output: { answer: 'Your question has 5 words' } },
    });
    await until(async () => {
      const logs = (await person.api.get(`/runs/${reply.body.id}/logs`)).body;
      return logs.some(({ message }: { message: string }) => message === 'Asked: How many words are these?');
    });
    const page = await readFile('packages/python/README.md', 'utf8');
    const [, snippet] = /(from agent_control_plane import AgentRun, answer_runs\n[^`]*)```/.exec(page)!;
    expect(await readFile(EXAMPLE, 'utf8')).toContain(snippet);
    const { id } = await ask(person, agent, { input: {} });
    await becomes(id, 'failed');
    expect(await readRun(person, id)).toMatchObject({ error: "KeyError: 'question'" });
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  it('are cancelled with asyncio, begun by the program itself, and abandoned with its process', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const child = start(ASYNC, agent);
    const { id } = await ask(person, agent);
    await becomes(id, 'running');
    await person.api.post(`/runs/${id}/cancel`);
    await becomes(id, 'cancelled');
    const own = await until(async () => {
      const { body } = await person.api.get(`/runs?agent_id=${agent.id}&source=agent&status=succeeded`);
      return body[0];
    });
    expect(await readRun(person, own.id)).toMatchObject({ name: 'warm up', output: 'warm' });
    const spans = await until(async () => {
      const { body } = await person.api.get(`/runs/${own.id}/spans`);
      return body.length === 12 && body;
    });
    const [think, heat, chat] = ['think', 'execute_tool heat', 'chat small'].map((name) =>
      spans.find((span: { name: string }) => span.name === name),
    );
    // The same call of a tool ten times, with the same result.
    await until(async () => (await eventsOf(person, own.id)).includes('loop_suspected'));
    expect(think).toMatchObject({ kind: 'agent', parent_span_id: null });
    expect(heat).toMatchObject({ kind: 'tool', tool: 'heat', parent_span_id: think.span_id });
    expect(chat).toMatchObject({
      parent_span_id: think.span_id,
      usage: { input_tokens: 3, output_tokens: 4 },
    });
    const { id: lost } = await ask(person, agent);
    await becomes(lost, 'running');
    child.kill('SIGKILL');
    await once(child, 'exit');
    start(ASYNC, agent);
    await becomes(lost, 'abandoned');
    expect(await eventsOf(person, lost)).toEqual(['queued', 'started', 'abandoned']);
  });
});
