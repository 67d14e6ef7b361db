import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { printedBy } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { hasPython, PYTHON, PYTHON_ENVIRONMENT, PYTHON_NEEDED } from './python.js';

const EXAMPLE = `${process.cwd()}/packages/python/examples/function_agent.py`;

(hasPython ? describe : describe.skip)(`The Python example ${PYTHON_NEEDED}`, () => {
  let app: TestApp;
  let person: Person;
  let agent: TestAgent;
  let directory: string;
  let child: ChildProcess;
  let deploymentId: string;

  const start = () => {
    const started = spawn(PYTHON, [EXAMPLE], {
      cwd: directory,
      env: {
        ...process.env,
        ...PYTHON_ENVIRONMENT,
        SERVICE_API_URL: app.url,
        SERVICE_AGENT_KEY: agent.key,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    printedBy('the output of an agent in Python', started);
    return started;
  };
  const deployment = async () => (await person.api.get(`/deployments/${deploymentId}`)).body;
  const isReady = async (count: number) => {
    const { status, ready_replicas, generation, observed_generation } = await deployment();
    return status === 'ready' && ready_replicas === count && generation === observed_generation;
  };

  beforeAll(async () => {
    app = await startTestApp({
      settings: { HEARTBEAT_INTERVAL_SECONDS: '1', HEARTBEAT_TIMEOUT_SECONDS: '60' },
    });
    person = await registerPerson(app);
    agent = await createAgent(app, person, { config: '{"name": "Ada"}' });
    directory = await mkdtemp(join(tmpdir(), 'python-example-'));
    child = start();
    deploymentId = await deploy(person, agent);
  });

  afterAll(async () => {
    child.kill('SIGKILL');
    await app.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('is ten lines long', async () => {
    const lines = (await readFile(EXAMPLE, 'utf8')).trim().split('\n');
    expect(lines.length).toBeLessThanOrEqual(10);
  });

  it('runs a function for each replica, and sends its log lines to the deployment', async () => {
    await until(() => isReady(1));
    await person.api.post(`/deployments/${deploymentId}/scale`, { replicas: 3 });
    await until(() => isReady(3));
    await until(async () => {
      const logs = (await person.api.get(`/deployments/${deploymentId}/logs`)).body;
      return logs.some(({ message }: { message: string }) => message === 'Hello, Ada');
    });
  });

  it('continues with the same number of replicas after it was killed', async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    const killedAt = new Date().toISOString();
    child = start();
    const greetings = new Set<string>();
    await until(async () => {
      const logs = (await person.api.get(`/deployments/${deploymentId}/logs`)).body;
      for (const { timestamp, metadata } of logs)
        if (timestamp > killedAt && metadata?.logger === 'greeting') greetings.add(timestamp);
      return greetings.size >= 3;
    });
    await until(() => isReady(3));
  });

  it('sends a last heartbeat on SIGTERM and exits with code 0', async () => {
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(await deployment()).toMatchObject({ status: 'running', ready_replicas: 0 });
  });
});
