import { createAgent, deploy, poll, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { resealSecrets } from './harness/reseal-secrets.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

const KEY = 'a key for tests, of more than thirty-two bytes';
const NEXT_KEY = 'the next key for tests, of more than thirty-two bytes';
const SECRET = 'a-password-of-the-agent';
const CONFIG = JSON.stringify({ command: ['true'], env: { DATABASE_PASSWORD: SECRET } });
const NEXT_CONFIG = CONFIG.replace('true', 'false');
const masked = (config: string) => config.replace(`"${SECRET}"`, '{"secret":true}');

let database: TestDatabase;
let app: TestApp;
let person: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp({ database });
  person = await registerPerson(app);
});

afterAll(async () => {
  await app.close();
  await database.drop();
});

async function restart(settings: Record<string, string>): Promise<void> {
  await app.close();
  app = await startTestApp({ database, settings });
  person = { ...person, api: app.api.as(person.accessToken) };
}

const storedConfigs = async () =>
  (
    await database.query<{ config: string }>(
      'SELECT config FROM agent_configs ORDER BY agent_id, config_version',
    )
  ).map(({ config }) => config);

/** Checks all routes that return the config of an agent with two versions of it. */
async function expectReadable({ id }: TestAgent): Promise<void> {
  const { api } = person;
  const revealed = [
    (await api.get(`/agents/${id}?reveal=true`)).body.config,
    (await api.get(`/agents/${id}/configs/1?reveal=true`)).body.config,
  ];
  expect(revealed).toEqual([NEXT_CONFIG, CONFIG]);
  const listed = [
    (await api.get('/agents')).body.find((agent: { id: string }) => agent.id === id).config,
    ...(await api.get(`/agents/${id}/configs`)).body.map(({ config }: { config: string }) => config),
  ];
  expect(listed).toEqual([masked(NEXT_CONFIG), masked(NEXT_CONFIG), masked(CONFIG)]);
}

describe('The configs of agents', () => {
  let agent: TestAgent;

  it('are encrypted in the database once they are sealed, including the configs saved before', async () => {
    agent = await createAgent(app, person, { config: CONFIG });
    const before = await storedConfigs();
    expect(before).toEqual([CONFIG]);
    await restart({ WEBHOOK_SECRET_KEY: KEY });
    await resealSecrets(database, { WEBHOOK_SECRET_KEY: KEY });
    expect(await storedConfigs()).toEqual([expect.stringMatching(/^sealed:/)]);
    expect((await person.api.patch(`/agents/${agent.id}`, { config: NEXT_CONFIG })).body.config).toBe(
      masked(NEXT_CONFIG),
    );
    await expectReadable(agent);
    expect((await storedConfigs()).join()).not.toContain(SECRET);
  });

  it('reach their runtime in clear text and are in clear text nowhere else in the database', async () => {
    const runtime = app.api.as(agent.key);
    const deploymentId = await deploy(person, agent);
    const [command] = await poll({ ...agent, runtime });
    expect(command).toMatchObject({ parameters: { deployment_id: deploymentId, config: NEXT_CONFIG } });
    const tables = await database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      const rows = await database.query(`SELECT FROM ${name} AS found WHERE found::text LIKE '%${SECRET}%'`);
      expect([name, rows]).toEqual([name, []]);
    }
  });

  it('stay readable after the key is replaced twice', async () => {
    const before = await storedConfigs();
    const both = { WEBHOOK_SECRET_KEY: NEXT_KEY, WEBHOOK_SECRET_KEY_PREVIOUS: KEY };
    await restart(both);
    await expectReadable(agent);
    expect(await storedConfigs()).toEqual(before);
    await resealSecrets(database, both);
    await restart({ WEBHOOK_SECRET_KEY: NEXT_KEY });
    await expectReadable(agent);
  });

  it('can not be decrypted under another agent or another version', async () => {
    const [, second] = await storedConfigs();
    await database.query('UPDATE agent_configs SET config = $1 WHERE config_version = 1', [second]);
    const { body } = await person.api.get(`/agents/${agent.id}/configs/1`);
    expect(JSON.parse(body.config)).toMatch(/^This config can't be decrypted/);
  });

  it('are replaced by a message when their key is gone, and can be saved again once it is given up', async () => {
    const others = { WEBHOOK_SECRET_KEY: KEY };
    await restart(others);
    const { status, body } = await person.api.get(`/agents/${agent.id}`);
    expect([status, JSON.parse(body.config)]).toEqual([200, expect.stringMatching(/^This config can't/)]);
    expect((await person.api.patch(`/agents/${agent.id}`, { config: CONFIG })).status).toBe(503);
    expect(await resealSecrets(database, others)).toMatchObject({ code: 2 });
    expect(await resealSecrets(database, others, '--lost')).toMatchObject({ code: 0 });
    await until(async () => (await app.api.get('/ready')).status === 200);
    const replaced = await person.api.patch(`/agents/${agent.id}`, { config: CONFIG });
    expect([replaced.status, replaced.body.config]).toEqual([200, masked(CONFIG)]);
  });
});
