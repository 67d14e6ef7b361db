import { createAgent, deploy, poll } from '../builders/agents.js';
import { registerPerson } from '../builders/people.js';
import type { ChildService } from '../harness/child-service.js';
import { resealSecrets } from '../harness/reseal-secrets.js';
import { until } from '../harness/until.js';
import { Instances } from './instances.js';

const OLD = 'the old key for tests, of more than thirty-two bytes';
const NEW = 'the new key for tests, of more than thirty-two bytes';
const MISTYPED = NEW.replace('new', 'nev');
const BOTH = { WEBHOOK_SECRET_KEY: NEW, WEBHOOK_SECRET_KEY_PREVIOUS: OLD };
const CONFIG = JSON.stringify({ command: ['true'] });

let instances: Instances;

afterEach(() => instances.close());

/** All stored data of configs, directly from the database. */
const storedConfigs = async () =>
  (await instances.database.query<{ config: string }>('SELECT config FROM agent_configs ORDER BY 1')).map(
    ({ config }) => config,
  );

/** A waiting command for an agent of a new person. */
async function waitingCommand() {
  const person = await registerPerson(instances.app());
  const agent = await createAgent(instances.app(), person, { config: CONFIG });
  return { person, agent, deploymentId: await deploy(person, agent) };
}

const readiness = async ({ api }: ChildService) => {
  const { status, body } = await api.get('/ready');
  return [status, body.error];
};

describe('WEBHOOK_SECRET_KEY', () => {
  it('is changed in two steps while two instances deliver every config', async () => {
    instances = await Instances.start(2, { WEBHOOK_SECRET_KEY: OLD });
    const { person, agent } = await waitingCommand();
    const before = await storedConfigs();
    const [first, second] = [await instances.add(BOTH), await instances.add(BOTH)];
    expect(await storedConfigs()).toEqual(before);
    const changed = CONFIG.replace('true', 'false');
    expect(
      (await first.api.as(person.accessToken).patch(`/agents/${agent.id}`, { config: changed })).status,
    ).toBe(200);
    for (const { api } of instances.all) {
      const { body } = await api.as(person.accessToken).get(`/agents/${agent.id}`);
      expect(body.config).toBe(changed);
    }
    for (const old of instances.all.slice(0, 2)) await instances.kill(old);
    expect(await resealSecrets(instances.database, BOTH)).toMatchObject({ code: 0, stderr: '' });
    const third = await instances.add({ WEBHOOK_SECRET_KEY: NEW });
    for (const instance of [first, second, third]) {
      const { body } = await instance.api.as(person.accessToken).get(`/agents/${agent.id}`);
      expect([await readiness(instance), body.config]).toEqual([[200, undefined], changed]);
    }
    const [command] = await poll({ ...agent, runtime: third.api.as(agent.key) });
    expect(command).toMatchObject({ parameters: { config: CONFIG } });
  });

  it('on one instance only, or mistyped, changes nothing, and that instance is not ready', async () => {
    instances = await Instances.start(1, { WEBHOOK_SECRET_KEY: OLD });
    const { person, agent, deploymentId } = await waitingCommand();
    const before = await storedConfigs();
    const mistyped = await instances.addUnready({ WEBHOOK_SECRET_KEY: MISTYPED });
    const lacks = /^Secrets in the database are encrypted with a key that this instance does not have/;
    await until(async () => lacks.test((await readiness(mistyped))[1]));
    expect(await readiness(mistyped)).toEqual([503, expect.stringMatching(lacks)]);
    expect(await poll({ ...agent, runtime: mistyped.api.as(agent.key) })).toEqual([]);
    const { body } = await mistyped.api.as(person.accessToken).get(`/deployments/${deploymentId}/commands`);
    expect(body).toMatchObject([
      {
        state: 'pending',
        attempts: 0,
        waiting_reason: expect.stringMatching(/^the config can't be decrypted/),
      },
    ]);
    const created = await mistyped.api.as(person.accessToken).post('/agents', { name: 'b', type: 'custom' });
    expect(created.status).toBe(503);
    expect(await storedConfigs()).toEqual(before);
    expect(await readiness(instances.first)).toEqual([200, undefined]);
    const [command] = await poll(agent);
    expect(command).toMatchObject({ parameters: { config: CONFIG } });
  });

  it('that an instance does not know yet makes it unready when everything is sealed under it', async () => {
    instances = await Instances.start(1, { WEBHOOK_SECRET_KEY: OLD });
    const { agent } = await waitingCommand();
    expect(await resealSecrets(instances.database, BOTH)).toMatchObject({ code: 0 });
    await until(async () => (await readiness(instances.first))[0] === 503);
    expect(await poll(agent)).toEqual([]);
  });
});

describe('JWT_SECRET', () => {
  it('is changed in two steps while two instances accept the tokens of both', async () => {
    instances = await Instances.start(1, { JWT_SECRET: OLD, JWT_SECRET_PREVIOUS: NEW });
    const other = await instances.add({ JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD });
    for (const [signs, verifies] of [
      [instances.first, other],
      [other, instances.first],
    ] as const) {
      const { accessToken } = await registerPerson(instances.app(signs));
      expect((await verifies.api.as(accessToken).get('/auth/me')).status).toBe(200);
    }
  });
});
