import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createAgent, deploy } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { printedBy } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { makeHome } from './runner-process.js';

/** The unchanged example of packages/client. */
let app: TestApp;
let person: Person;
const home = makeHome();
const children: ChildProcess[] = [];

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
  person = await registerPerson(app);
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  home.remove();
  await app.close();
});

function run(key: string): ChildProcess {
  const child = spawn(process.execPath, ['packages/client/examples/in-process-agent.mjs'], {
    env: { PATH: process.env.PATH, HOME: home.path, SERVICE_API_URL: app.url, SERVICE_AGENT_KEY: key },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  printedBy('the output of the example agent', child);
  children.push(child);
  return child;
}

it('the example carries out its commands, and continues its work when it is started again', async () => {
  const agent = await createAgent(app, person, { config: { every_seconds: 0.05 } });
  const id = await deploy(person, agent);
  const read = async () => (await person.api.get(`/deployments/${id}`)).body;
  const first = run(agent.key);
  await until(async () => (await read()).status === 'ready');
  await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
  await until(async () => (await read()).ready_replicas === 2);
  await until(async () => {
    const logs: any[] = (await person.api.get(`/deployments/${id}/logs`)).body;
    return [0, 1].every((worker) => logs.some(({ metadata }) => metadata.worker === worker));
  });

  const ended = once(first, 'exit');
  first.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await until(async () => (await read()).ready_replicas === 0);

  const second = run(agent.key);
  await until(async () => (await read()).ready_replicas === 2);
  const over = once(second, 'exit');
  second.kill('SIGINT');
  expect(await over).toEqual([0, null]);
});

it('the example names the missing variable and exits with 2 when it has no key', async () => {
  const child = run('');
  const said = text(child.stderr!);
  expect((await once(child, 'exit'))[0]).toBe(2);
  expect(await said).toBe('SERVICE_AGENT_KEY must hold the key of the agent\n');
});
