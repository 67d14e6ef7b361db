import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, obey, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim } from './builders/runs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const settings = {
  KEPT_CONFIGS_PER_AGENT: '3',
  MAX_CONFIGS_PER_AGENT: '12',
  MAX_CONFIG_BYTES_PER_AGENT: '20000',
};

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings });
  person = await registerPerson(app);
});

afterAll(() => app.close());

const save = ({ id }: TestAgent, config: object) =>
  person.api.patch(`/agents/${id}`, { config: JSON.stringify(config) });

const saveSeveral = async (agent: TestAgent, count: number) => {
  for (let n = 0; n < count; n++) expect((await save(agent, { n: Math.random() })).status).toBe(200);
};

const deployVersion = ({ id }: TestAgent, version: number) =>
  person.api.post(`/agents/${id}/deploy`, { config_version: version });

const deleteOld = () => until(() => app.app.get(PeriodicJobs).runOnce('configRetention'));

const versionsOf = async ({ id }: TestAgent): Promise<number[]> => {
  const { body } = await person.api.get(`/agents/${id}/configs?limit=100`);
  return body.map((version: { config_version: number }) => version.config_version);
};

describe('Old config versions', () => {
  it('are deleted beyond the newest ones, and numbers go on', async () => {
    const agent = await createAgent(app, person);
    await saveSeveral(agent, 7);
    await deleteOld();
    expect(await versionsOf(agent)).toEqual([8, 7, 6]);
    await saveSeveral(agent, 1);
    expect(await versionsOf(agent)).toEqual([9, 8, 7, 6]);
    expect((await person.api.get(`/agents/${agent.id}/configs/2`)).status).toBe(404);
  });

  it('stay where a deployment names them, and where a run does', async () => {
    const agent = await createAgent(app, person, { config: '{"run": {"command": ["true"]}}' });
    await saveSeveral(agent, 1);
    expect((await deployVersion(agent, 2)).status).toBe(200);
    await obey(agent);
    const { id: runId } = await ask(person, agent);
    await claim(agent);
    await saveSeveral(agent, 7);
    await app.database.query('UPDATE runs SET config_version = 4 WHERE id = $1', [runId]);
    await deleteOld();
    await deleteOld();
    expect(await versionsOf(agent)).toEqual([9, 8, 7, 4, 2]);
  });

  it("can't be deployed after their deletion, and the newest always", async () => {
    const agent = await createAgent(app, person);
    await saveSeveral(agent, 5);
    await deleteOld();
    const refused = await deployVersion(agent, 2);
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toContain('config_version 2 does not exist or was deleted');
    expect((await deployVersion(agent, 4)).status).toBe(200);
    expect((await deployVersion(agent, 6)).status).toBe(200);
  });
});

describe('A quota of configs', () => {
  it('refuses versions past the limit, and accepts every other change', async () => {
    const agent = await createAgent(app, person);
    await saveSeveral(agent, 11);
    const refused = await save(agent, { one: 'more' });
    expect(refused).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } });
    expect(refused.body.message).toContain('quota of 12 config versions (MAX_CONFIGS_PER_AGENT)');
    expect((await person.api.patch(`/agents/${agent.id}`, { name: 'renamed' })).status).toBe(200);
    expect((await deployVersion(agent, 12)).status).toBe(200);
  });

  it('refuses versions past their bytes', async () => {
    const agent = await createAgent(app, person);
    expect((await save(agent, { text: 'x'.repeat(20_000) })).status).toBe(200);
    const refused = await save(agent, { text: 'y' });
    expect(refused.body.message).toContain('quota of 20000 bytes of configs (MAX_CONFIG_BYTES_PER_AGENT)');
  });
});
