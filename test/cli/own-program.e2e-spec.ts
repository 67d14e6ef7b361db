import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;
let program: string;

/** Writes its argument, and ends with the code in the second one; without that it stays. */
const PROGRAM = `
const [text, code] = process.argv.slice(2);
console.log(text);
console.error('on standard error');
if (code === undefined) setInterval(() => undefined, 60_000);
else process.exitCode = Number(code);
`;

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
  await mkdir(join(svc.home, 'greeter'));
  program = join(svc.home, 'greeter', 'greeter.mjs');
  await writeFile(program, PROGRAM);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

async function agentCalled(name: string): Promise<any> {
  const [agent] = (await ada.api.get(`/agents?q=${name}`)).body;
  return (await ada.api.get(`/agents/${agent.id}`)).body;
}

describe('svc run with a program', () => {
  it('makes its agent, shows its output, ends with it and its exit code, and finds the agent again', async () => {
    const first = await svc.startProcess(['run', '--', process.execPath, program, 'hello', '7']).ended();
    expect(first).toMatchObject({ code: 7, stdout: 'hello\n' });
    expect(first.stderr).toMatch(/^Created the agent "greeter" /);
    expect(first.stderr).toContain('\non standard error\n');
    const made = await agentCalled('greeter');
    expect(JSON.parse(made.config)).toEqual({
      command: [process.execPath, program, 'hello', '7'],
      cwd: process.cwd(),
    });
    await until(async () => (await ada.api.get(`/agents/${made.id}/logs?q=hello`)).body.length === 1);

    const second = await svc.startProcess(['run', '--', process.execPath, program, 'again', '0']).ended();
    expect(second).toMatchObject({ code: 0, stdout: 'again\n' });
    expect(second.stderr).toContain('Saved the program as config version 2 of "greeter"\n');
    const found = await agentCalled('greeter');
    expect([found.id, found.deployments.length]).toEqual([made.id, 2]);
    expect(found.deployments[0]).toMatchObject({
      status: 'stopped',
      error_message: null,
      last_exit: { code: 0 },
    });
    expect(found.health).toEqual({ state: 'idle', reason: 'Nothing is meant to run' });
  });

  it('reports a program that ended with a failure as failed, with its exit code and last error line', async () => {
    const run = (...words: string[]) =>
      svc.startProcess(['run', '--name', 'breaks', '--', process.execPath, program, ...words]).ended();
    const { code, stderr } = await run('hello', '3');
    expect([code, stderr.split('\n').slice(1)]).toEqual([3, ['on standard error', '']]);
    const { health, deployments } = await agentCalled('breaks');
    const failure = 'The program ended with exit code 3: on standard error';
    expect(deployments).toEqual([
      expect.objectContaining({
        status: 'failed',
        error_message: failure,
        restart_count: 0,
        last_exit: { code: 3, message: 'on standard error', at: expect.any(String) },
      }),
    ]);
    expect(health).toEqual({ state: 'failing', reason: expect.stringContaining(failure) });
    const why = await svc.run(['why', 'breaks']);
    expect(why.stdout).toContain(`Reason      ${failure} (deployment …`);
    expect(why.stdout).toMatch(/Last exits\n\S+ +exit code 3 at \S+: on standard error\n/);
    expect(why.stderr).toContain('Next: svc logs breaks --min-level warning');
    expect((await svc.run(['ls', '--health', 'failing'])).stdout).toContain('breaks');

    expect((await run('again', '0')).code).toBe(0);
    expect((await agentCalled('breaks')).health.state).toBe('idle');
  });

  it('ends the program on Ctrl-C, and leaves nothing deployed', async () => {
    const running = svc.startProcess(['run', '--name', 'stays', '--', process.execPath, program, 'working']);
    expect(await running.prints(1)).toEqual(['working']);
    expect((await running.interrupted()).code).toBe(130);
    expect((await agentCalled('stays')).deployments).toEqual([
      expect.objectContaining({ status: 'stopped', config_version: 1 }),
    ]);
  });

  it('ends with 1 and a reason when the program is not there, runs elsewhere, or its name is not clear', async () => {
    const missing = await svc.startProcess(['run', '--name', 'missing', '--', '/nowhere/program']).ended();
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/^svc: deploy failed: .*\/nowhere\/program/m);

    for (let n = 0; n < 2; n++) await createAgent(app, ada, { name: 'twin' });
    expect(await svc.run(['run', '--name', 'twin', '--', 'true'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('2 agents are called "twin": choose another with --name'),
    });
    const elsewhere = await createAgent(app, ada, { name: 'elsewhere' });
    await elsewhere.runtime.post('/agents/register', { hostname: 'another-host' });
    expect(await svc.run(['run', '--name', 'elsewhere', '--', 'true'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"elsewhere" runs on another-host'),
    });
    expect((await svc.run(['run', '--name', 'x'])).code).toBe(2);
    expect((await svc.run(['run', '--agent', 'twin', '--', 'true'])).code).toBe(2);
  });
});
