import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { AgentStage } from './agent-stage.js';

/** The library in this process, and a service that a failover has taken back by a second. */
let app: TestApp;
let person: Person;
let on: AgentStage;

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
  person = await registerPerson(app);
});

afterAll(() => app.close());

beforeEach(async () => {
  on = await AgentStage.open(app, person);
});

afterEach(() => on.close());

const read = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;

describe('An agent whose service has lost what it asked for', () => {
  it('registers at once when its generation is lost, and the deployment is reported again', async () => {
    const id = await on.deploy();
    on.start();
    await until(async () => (await read(id)).status === 'ready');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
    await until(async () => (await read(id)).ready_replicas === 3);
    await app.database.query(
      `UPDATE deployments SET generation = 1, observed_generation = 1, ready_generation = NULL, replicas = 1,
         ready_replicas = 0, status = 'running' WHERE id = $1`,
      [id],
    );
    await until(async () => (await read(id)).status === 'ready');
    expect(await read(id)).toMatchObject({ generation: 1, observed_generation: 1, ready_replicas: 1 });
    expect(on.applied.at(-1)).toMatchObject({ cause: 'scale', generation: 1, replicas: 1 });
    expect(on.gateway.of('POST /agents/register').length).toBeGreaterThan(1);
  });

  it('registers at once when its deployment was stopped and the command is lost, and ends it', async () => {
    const id = await on.deploy();
    on.start();
    await until(async () => (await read(id)).status === 'ready');
    await app.database.query(
      `UPDATE deployments SET status = 'stopped', ended_at = now(), ready_replicas = 0 WHERE id = $1`,
      [id],
    );
    await until(() => on.causes().includes('stop'));
  });

  it('reports the stopped deployments that are listed as running as failed, because the stop is lost', async () => {
    const [id, other] = [await on.deploy(), await on.deploy()];
    on.start();
    for (const it of [id, other]) await until(async () => (await read(it)).status === 'ready');
    await person.api.post(`/deployments/${id}/stop`);
    await until(() => on.causes().includes('stop'));
    await until(
      async () => (await person.api.get(`/deployments/${id}/commands`)).body[0].state === 'succeeded',
    );
    await app.database.query(`UPDATE deployments SET status = 'ready', ended_at = NULL WHERE id = $1`, [id]);
    // the same failover has lost another deployment, so the service asks for a registration
    await app.database.query('DELETE FROM deployments WHERE id = $1', [other]);
    await until(async () => (await read(id)).status === 'failed');
    expect((await read(id)).error_message).toContain('restart it to run it here');
  });

  it('registers at once when a deployment is lost, and ends it', async () => {
    const id = await on.deploy();
    on.start();
    await until(async () => (await read(id)).status === 'ready');
    await app.database.query('DELETE FROM deployments WHERE id = $1', [id]);
    await until(() => on.causes().includes('kill'));
  });
});
