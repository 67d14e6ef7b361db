import { deploy, obey } from './builders/agents.js';
import { endPause, pause, pauseAll, resume } from './builders/pauses.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, eventsOf, readRun, tell } from './builders/runs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { statementsOf } from './harness/statements.js';
import { until } from './harness/until.js';

let app: TestApp;
let other: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ database: app.database });
  person = await registerPerson(app);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

describe('A paused agent', () => {
  it('is given no run, and the queued one says why it waits', async () => {
    const worker = await createWorker(app, person);
    await pause(person, worker);
    const run = await ask(person, worker);
    expect(await claim(worker)).toEqual([]);
    expect(await claim(worker, { deployment_id: worker.deploymentId })).toEqual([]);
    expect(await readRun(person, run.id)).toMatchObject({
      status: 'queued',
      waiting_reason: 'the agent is paused',
    });
    const second = await deploy(person, worker);
    expect(await claim(worker, { deployment_id: second })).toEqual([]);
    await resume(person, worker);
    expect(await claim(worker)).toMatchObject([{ run_id: run.id }]);
  });

  it('asks for runs without a statement, although some are queued', async () => {
    const worker = await createWorker(app, person);
    await pause(person, worker);
    await ask(person, worker);
    // The news of the run may come after the first claim has read the queue.
    await until(async () => (await statementsOf(app, () => claim(worker))).length === 0);
    await resume(person, worker);
    expect(await claim(worker)).toHaveLength(1);
  });

  it('takes its run when the pause ends on another instance, by a claim that waits', async () => {
    const worker = await createWorker(app, person, { type: 'waiting' });
    const made = await pauseAll(person, { type: 'waiting' });
    await ask(person, worker);
    const waiting = claim(worker, { wait: 20 });
    await endPause({ ...person, api: other.api.as(person.accessToken) }, made);
    expect(await waiting).toHaveLength(1);
  });

  it('lets running work finish', async () => {
    const worker = await createWorker(app, person);
    const run = await ask(person, worker);
    await claim(worker);
    await pause(person, worker);
    await obey(worker);
    expect(await tell(worker, { run_id: run.id, status: 'succeeded', output: 1 })).toMatchObject({
      status: 'succeeded',
      cancel_requested: false,
    });
  });

  it('is asked to end running work with `runs: cancel`, and keeps queued runs', async () => {
    const worker = await createWorker(app, person);
    const [first, second] = [await ask(person, worker), await ask(person, worker)];
    await claim(worker);
    await pause(person, worker, { runs: 'cancel', reason: 'It spends too much' });
    expect(await eventsOf(person, first.id)).toEqual(['queued', 'started', 'cancel_requested']);
    const beat = await worker.runtime.post('/agents/heartbeat', { runs: [first.id] });
    expect(beat.body.cancel_runs).toEqual([first.id]);
    expect((await readRun(person, second.id)).status).toBe('queued');
    await pause(person, worker, { runs: 'cancel' });
    expect(await eventsOf(person, first.id)).toHaveLength(3);
  });
});
