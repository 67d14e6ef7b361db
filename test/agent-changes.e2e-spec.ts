import { createAgent, deploy, poll } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

let app: TestApp;
let other: TestApp;
let person: Person;
let stranger: Person;

beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ database: app.database });
  person = await registerPerson(app);
  stranger = await registerPerson(app);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

const patch = (id: string, body: object) => person.api.patch(`/agents/${id}`, body);

async function configsOf(id: string): Promise<any[]> {
  return (await person.api.get(`/agents/${id}/configs`)).body;
}

describe('A change with If-Match', () => {
  const change = (id: string, version: string) =>
    person.api.patch(
      `/agents/${id}`,
      { config: `{"from": ${JSON.stringify(version)}}` },
      { headers: { 'If-Match': version } },
    );

  it('is made when the newest config version is in its list', async () => {
    const { id } = await createAgent(app, person);
    for (const [at, version] of ['"1"', '"1", "2"', '*'].entries())
      expect((await change(id, version)).body).toMatchObject({ config_version: at + 2 });
  });

  it('returns 412 and changes nothing when the newest config version is another one', async () => {
    const { id } = await createAgent(app, person);
    await patch(id, { config: '{"n": 1}' });
    expectError(
      await change(id, '"1"'),
      412,
      'The newest config version is 2, and If-Match names 1: read the agent again',
    );
    expect((await person.api.get(`/agents/${id}`)).body).toMatchObject({
      config: '{"n": 1}',
      config_version: 2,
    });
  });

  it('is made for one of two callers when both have read the same version', async () => {
    const { id } = await createAgent(app, person);
    const replies = await Promise.all([change(id, '"1"'), change(id, '"1",  "1"')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(await configsOf(id)).toHaveLength(2);
  });

  it.each(['1', 'W/"1"', '"a"', '""', '"1" "2"'])(
    'returns 422 when it names no version: %s',
    async (version) => {
      const { id } = await createAgent(app, person);
      expectError(await change(id, version), 422, /^If-Match must be a config version/);
    },
  );
});

describe('Changing an agent', () => {
  it('keeps absent properties and returns the agent', async () => {
    const agent = await createAgent(app, person, {
      name: 'a',
      description: 'b',
      type: 'c',
      config: '{"n": 1.0}',
    });
    const before = (await person.api.get(`/agents/${agent.id}`)).body;
    const { status, body } = await patch(agent.id, { name: 'renamed', labels: { team: 'billing', env: '' } });
    expect(status).toBe(200);
    const { deployments, ...record } = before;
    expect(deployments).toEqual([]);
    const labels = { team: 'billing', env: '' };
    expect(body).toEqual({ ...record, name: 'renamed', labels, updated_at: expect.any(String) });
    expect((await person.api.get('/agents')).body[0]).toEqual(body);
    expect(await configsOf(agent.id)).toHaveLength(1);
  });

  it('resets a property to its default when it is null', async () => {
    const agent = await createAgent(app, person, {
      name: 'a',
      description: 'b',
      type: 'c',
      config: '{"n": 1}',
    });
    await patch(agent.id, { labels: { a: 'b' } });
    const cleared = { name: null, description: null, type: null, labels: null, config: null };
    expect((await patch(agent.id, cleared)).body).toMatchObject({
      name: `agent-${agent.id.slice(0, 8)}`,
      description: null,
      type: 'custom',
      labels: {},
      config: '{}',
      config_version: 2,
    });
  });

  it('trims the name and the type', async () => {
    const agent = await createAgent(app, person);
    const { body } = await patch(agent.id, { name: ' my reader ', type: 'worker\n' });
    expect(body).toMatchObject({ name: 'my reader', type: 'worker' });
    expectError(await patch(agent.id, { name: '  ' }), 422, /^name must be longer/);
    expectError(await patch(agent.id, { type: '  ' }), 422, /^type must be longer/);
  });

  it.each([
    ['33 labels', { labels: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`k${n}`, ''])) }],
    ['a label key with a colon', { labels: { 'a:b': 'c' } }],
    ['an empty label key', { labels: { '': 'c' } }],
    ['a label value that is no string', { labels: { a: 1 } }],
    ['a long label value', { labels: { a: 'x'.repeat(129) } }],
    ['labels that are an array', { labels: ['a'] }],
    ['an empty name', { name: '' }],
    ['a config that is no JSON', { config: '{' }],
    ['a property that can not be changed', { status: 'running' }],
  ])('refuses %s', async (_, body) => {
    const agent = await createAgent(app, person);
    expectError(await patch(agent.id, body), 422);
  });

  it('takes labels of as many characters as documented, also of those with two code units', async () => {
    const agent = await createAgent(app, person);
    const labels = { ['🐘'.repeat(64)]: '🐘'.repeat(128) };
    expect((await patch(agent.id, { labels })).body.labels).toEqual(labels);
    for (const [key, value] of [
      ['🐘'.repeat(65), 'a'],
      ['a', '🐘'.repeat(129)],
    ] as const)
      expectError(await patch(agent.id, { labels: { [key]: value } }), 422, /^labels must be/);
  });

  it("returns 404 for another user's agent", async () => {
    const agent = await createAgent(app, person);
    for (const id of [agent.id, UNKNOWN_ID]) {
      expectError(await stranger.api.patch(`/agents/${id}`, { name: 'x' }), 404, 'Agent not found');
      expectError(await stranger.api.get(`/agents/${id}/configs`), 404, 'Agent not found');
      expectError(await stranger.api.get(`/agents/${id}/configs/1`), 404, 'Agent not found');
    }
  });
});

describe('The versions of a config', () => {
  it('are numbered from 1 and listed newest first, with their author and time', async () => {
    const agent = await createAgent(app, person, { config: '{"n": 1}' });
    expect((await patch(agent.id, { config: { n: 2 } })).body).toMatchObject({
      config_version: 2,
      config: '{"n":2}',
    });
    const version = (number: number, config: string) => ({
      agent_id: agent.id,
      config_version: number,
      config,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      actor: `user:${person.id}`,
      actor_name: null,
      actor_email: person.email,
    });
    expect(await configsOf(agent.id)).toEqual([version(2, '{"n":2}'), version(1, '{"n": 1}')]);
    expect((await person.api.get(`/agents/${agent.id}/configs/1`)).body).toEqual(version(1, '{"n": 1}'));
    expectError(await person.api.get(`/agents/${agent.id}/configs/3`), 404, 'Config version not found');
    for (const number of ['0', '-1', 'x', '1.5', '2147483648']) {
      expectError(await person.api.get(`/agents/${agent.id}/configs/${number}`), 422);
    }
  });

  it('do not grow when the same config is saved, and a number is never reused', async () => {
    const agent = await createAgent(app, person, { config: '{"n": 1}' });
    expect((await patch(agent.id, { config: '{"n": 1}' })).body.config_version).toBe(1);
    await patch(agent.id, { config: '{}' });
    expect((await patch(agent.id, { config: '{"n": 1}' })).body.config_version).toBe(3);
    expect((await configsOf(agent.id)).map(({ config }) => config)).toEqual(['{"n": 1}', '{}', '{"n": 1}']);
  });

  it('are numbered without gaps when two instances save at the same time', async () => {
    const agent = await createAgent(app, person);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (n % 2 ? app : other).api.as(person.accessToken).patch(`/agents/${agent.id}`, { config: { n } }),
      ),
    );
    const numbers = replies.map(({ body }) => body.config_version).sort((one, next) => one - next);
    expect(numbers).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (const { body } of replies) {
      const kept = await person.api.get(`/agents/${agent.id}/configs/${body.config_version}`);
      expect(kept.body.config).toBe(body.config);
    }
  });

  it('are refused with the likely key when svc run would refuse the config', async () => {
    const agent = await createAgent(app, person);
    const reply = await patch(agent.id, { config: { comand: ['node'] } });
    expectError(reply, 422);
    expect(reply.body.message).toEqual([
      'config has "comand", which svc run ignores: did you mean "command"?',
    ]);
    expect((await person.api.post('/agents', { config: { command: 'node x' } })).status).toBe(422);
    expect(await configsOf(agent.id)).toHaveLength(1);
  });
});

describe('A deployment', () => {
  const deployVersion = (id: string, body: object) => person.api.post(`/agents/${id}/deploy`, body);

  it('carries the newest version, or the older version that the request names', async () => {
    const agent = await createAgent(app, person, { config: '{"n": 1}' });
    await patch(agent.id, { config: '{"n": 2}' });
    const newest = (await deployVersion(agent.id, {})).body;
    const older = (await deployVersion(agent.id, { config_version: 1 })).body;
    expect([newest.config_version, older.config_version]).toEqual([2, 1]);
    const configs = (await poll(agent)).map(({ parameters }) => parameters.config);
    expect(configs.sort()).toEqual(['{"n": 1}', '{"n": 2}']);
    const created = await person.api.post('/deployments', { agent_id: agent.id });
    expect(created.body.config_version).toBe(2);
  });

  it('keeps its version through a restart', async () => {
    const agent = await createAgent(app, person, { config: '{"n": 1}' });
    const id = await deploy(person, agent);
    await patch(agent.id, { config: '{"n": 2}' });
    await person.api.post(`/deployments/${id}/stop`);
    const restarted = await person.api.post(`/deployments/${id}/restart`);
    expect(restarted.body.config_version).toBe(1);
    const commands = await poll(agent);
    expect(commands.map(({ action, parameters }) => [action, parameters.config])).toContainEqual([
      'stop',
      '{"n": 1}',
    ]);
  });

  it.each([0, 2, 1.5, '1', 2 ** 31])(
    'is refused with version %s when the agent has one version',
    async (config_version) => {
      const agent = await createAgent(app, person);
      const reply = await deployVersion(agent.id, { config_version });
      expectError(reply, 422);
      expect(reply.body.detail).toContain('config_version');
    },
  );
});
