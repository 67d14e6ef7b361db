import { createAgent, deploy, obey, report } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

async function deploymentOf(id: string) {
  return (await person.api.get(`/deployments/${id}`)).body;
}

/** Three replicas are wanted, in generation 2; none is ready. */
async function runningDeployment() {
  const agent = await createAgent(app, person);
  const id = await deploy(person, agent);
  await obey(agent);
  await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
  await obey(agent);
  return { agent, id };
}

describe('A report in a heartbeat', () => {
  it('with a status of a newer agent moves nothing, and does not cost the heartbeat its other reports', async () => {
    const agent = await createAgent(app, person);
    const [one, other] = [await deploy(person, agent), await deploy(person, agent)];
    await obey(agent);
    const reply = await agent.runtime.post('/agents/heartbeat', {
      status: 'running',
      deployments: [
        { deployment_id: one, status: 'warming_up', node_id: 'node-1' },
        { deployment_id: other, status: 'ready' },
      ],
    });
    expect([reply.status, reply.body.status]).toEqual([200, 'ok']);
    expect(await deploymentOf(one)).toMatchObject({ status: 'running', node_id: 'node-1' });
    expect(await deploymentOf(other)).toMatchObject({ status: 'ready' });
  });

  it('counts by its number of replicas where its status is unknown', async () => {
    const { agent, id } = await runningDeployment();
    await report(agent, id, { status: 'warmed_up', ready_replicas: 3, observed_generation: 2 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready', ready_replicas: 3 });
  });

  it('says nothing of a deployment that is stopped', async () => {
    const { agent, id } = await runningDeployment();
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    await person.api.post(`/agents/${agent.id}/stop`);
    const before = await deploymentOf(id);
    expect(before).toMatchObject({ status: 'stopped', generation: 3, observed_generation: 2 });
    await report(agent, id, {
      status: 'ready',
      ready_replicas: 2,
      observed_generation: 3,
      node_id: 'node-9',
    });
    expect(await deploymentOf(id)).toEqual(before);
  });

  it('of more ready replicas than are wanted counts as all of them', async () => {
    const { agent, id } = await runningDeployment();
    await report(agent, id, { status: 'ready', ready_replicas: 7, observed_generation: 2 });
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready', ready_replicas: 3, replicas: 3 });
  });

  it('of a generation that nobody has asked for is refused as a whole', async () => {
    const { agent, id } = await runningDeployment();
    const before = await deploymentOf(id);
    await report(agent, id, {
      status: 'ready',
      ready_replicas: 3,
      observed_generation: 99,
      node_id: 'node-9',
    });
    expect(await deploymentOf(id)).toEqual(before);
  });
});
