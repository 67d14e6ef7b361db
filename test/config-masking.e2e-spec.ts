import { createAgent, deploy, poll, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject, registerMember } from './builders/projects.js';
import type { ApiClient } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const MASK = { secret: true };
const TEXT = JSON.stringify({
  command: ['true'],
  env: { API_TOKEN: 'hush-token', LEVEL: 'debug', SEALED: { secret: 'hush-sealed' } },
});
const ALL_MASKED = { command: ['true'], env: { API_TOKEN: MASK, LEVEL: MASK, SEALED: MASK } };
const USUAL = { command: ['true'], env: { API_TOKEN: MASK, LEVEL: 'debug', SEALED: MASK } };
const REVEALED = { command: ['true'], env: { API_TOKEN: 'hush-token', LEVEL: 'debug', SEALED: MASK } };

let app: TestApp;
let operator: Person;
let owner: Person;
let viewer: Person;
let maintainer: Person;
let agent: TestAgent;
let projectId: string;

beforeAll(async () => {
  app = await startTestApp();
  operator = await registerOperator(app);
  owner = await registerPerson(app);
  projectId = await createProject(owner);
  viewer = await registerMember(app, projectId, 'viewer');
  maintainer = await registerMember(app, projectId, 'maintainer');
});

beforeEach(async () => {
  agent = await createAgent(app, owner, { config: TEXT, project_id: projectId });
});

afterAll(() => app.close());

const keyOf = async (person: Person, scopes: readonly string[]): Promise<ApiClient> =>
  app.api.as((await person.api.post('/api-keys', { name: 'k', scopes })).body.key);

const configOf = async (api: ApiClient, query = ''): Promise<unknown> =>
  JSON.parse((await api.get(`/agents/${agent.id}${query}`)).body.config);
const versionOf = async (api: ApiClient, query = ''): Promise<unknown> =>
  JSON.parse((await api.get(`/agents/${agent.id}/configs/1${query}`)).body.config);
const patch = (api: ApiClient, config: unknown) => api.patch(`/agents/${agent.id}`, { config });
const reveals = async (person: Person) =>
  (await person.api.get(`/audit?action=agent.reveal&target_id=${agent.id}`)).body as any[];

describe('The config of an agent', () => {
  it('is visible without values that look secret to callers who may change the agent', async () => {
    for (const { api } of [owner, maintainer]) {
      expect([await configOf(api), await versionOf(api)]).toEqual([USUAL, USUAL]);
    }
    const changed = await owner.api.patch(`/agents/${agent.id}`, { name: 'renamed' });
    const created = await owner.api.post('/agents', { config: TEXT });
    for (const { body } of [changed, created]) expect(JSON.parse(body.config)).toEqual(USUAL);
  });

  it('is visible to viewers and keys without agents without any value of env', async () => {
    const callers = [viewer.api, await keyOf(owner, ['read', 'deploy'])];
    for (const api of callers) expect(await configOf(api)).toEqual(ALL_MASKED);
    expect(await versionOf(viewer.api)).toEqual(ALL_MASKED);
  });

  it('is hidden from an operator who is no member of the project, also in a list', async () => {
    expect(await configOf(operator.api)).toMatch(
      /^This config is not shown: it belongs to a project of which you are no member/,
    );
    const { body } = await operator.api.get(`/agents?project_id=${projectId}`);
    expect(body.length).toBeGreaterThan(0);
    for (const { config } of body) expect(JSON.parse(config)).toMatch(/^This config is not shown/);
  });

  it('has no value of env in a list for any reader', async () => {
    for (const { api } of [owner, viewer]) {
      const lists = [
        await api.get(`/agents?project_id=${projectId}`),
        await api.get(`/agents/${agent.id}/configs`),
      ];
      for (const { body } of lists) {
        const listed = body.find(({ agent_id: id }: any) => id === agent.id);
        expect(JSON.parse(listed.config)).toEqual(ALL_MASKED);
      }
    }
  });

  it('is absent in a reply to a key without read, and in its replay', async () => {
    const key = await keyOf(owner, ['agents']);
    const body = { config: TEXT, project_id: projectId };
    const headers = { 'Idempotency-Key': 'once' };
    const replies = [
      await patch(key, TEXT.replace('debug', 'info')),
      await key.post('/agents', body, { headers }),
      await key.post('/agents', body, { headers }),
    ];
    for (const reply of replies) expect(JSON.parse(reply.body.config)).toMatch(/^This config is not shown/);
    expectError(await patch(key, replies[0]!.body.config), 422, /replaces a config that is not shown/);
  });

  it('reaches its runtime with every value, and no other reader with a write-only one', async () => {
    await deploy(owner, agent);
    const [command] = await poll(agent);
    expect(JSON.parse(String(command!.parameters.config))).toEqual({
      command: ['true'],
      env: { API_TOKEN: 'hush-token', LEVEL: 'debug', SEALED: 'hush-sealed' },
    });
    const paths = ['', '?reveal=true', '/configs', '/configs/1', '/configs/1?reveal=true'];
    for (const path of paths) {
      const { body } = await owner.api.get(`/agents/${agent.id}${path}`);
      expect(JSON.stringify(body)).not.toContain('hush-sealed');
    }
  });
});

describe('reveal=true', () => {
  it('shows the secrets to callers who may change the agent, and each time is audited', async () => {
    expect(await configOf(maintainer.api, '?reveal=true')).toEqual(REVEALED);
    expect(await configOf(maintainer.api, '?reveal=true')).toEqual(REVEALED);
    expect(await versionOf(owner.api, '?reveal=true')).toEqual(REVEALED);
    const entries = await reveals(owner);
    expect(entries.map(({ actor }) => actor)).toEqual([
      `user:${owner.id}`,
      `user:${maintainer.id}`,
      `user:${maintainer.id}`,
    ]);
    expect(entries[0]).toMatchObject({
      project_id: projectId,
      outcome: 'success',
      details: { config_version: 1 },
    });
    expect(JSON.stringify(entries)).not.toContain('hush');
  });

  it('shows them to an operator, which the owner finds in the log', async () => {
    expect(await configOf(operator.api, '?reveal=true')).toEqual(REVEALED);
    expect((await reveals(owner)).map(({ actor }) => actor)).toEqual([`user:${operator.id}`]);
  });

  it('is refused to others', async () => {
    const path = `/agents/${agent.id}?reveal=true`;
    expectError(await viewer.api.get(path), 403, 'Missing role: maintainer');
    const key = await keyOf(owner, ['read']);
    expectError(await key.get(path), 403, 'Missing scope: agents');
    expectError(
      await viewer.api.get(`/agents/${agent.id}/configs/1?reveal=true`),
      403,
      'Missing role: maintainer',
    );
    expectError(await (await registerPerson(app)).api.get(path), 404, 'Agent not found');
    expect(await reveals(owner)).toEqual([]);
  });
});

describe('A config that is sent back', () => {
  it('unchanged changes nothing', async () => {
    for (const query of ['', '?reveal=true']) {
      const { config } = (await owner.api.get(`/agents/${agent.id}${query}`)).body;
      const { status, body } = await patch(owner.api, config);
      expect([status, body.config_version]).toEqual([200, 1]);
      expect((await patch(owner.api, JSON.stringify(JSON.parse(config), null, 2))).body.config_version).toBe(
        1,
      );
    }
  });

  it('keeps the values that it does not give, in the next version', async () => {
    const { config } = (await owner.api.get(`/agents/${agent.id}`)).body;
    expect((await patch(owner.api, config.replace('debug', 'info'))).body.config_version).toBe(2);
    await deploy(owner, agent);
    const [command] = await poll(agent);
    expect(JSON.parse(String(command!.parameters.config)).env).toEqual({
      API_TOKEN: 'hush-token',
      LEVEL: 'info',
      SEALED: 'hush-sealed',
    });
    expect(await configOf(owner.api, '?reveal=true')).toEqual({
      ...REVEALED,
      env: { ...REVEALED.env, LEVEL: 'info' },
    });
  });

  it('is refused where there is nothing to keep', async () => {
    const config = { env: { OTHER: MASK } };
    expectError(await patch(owner.api, config), 422, /^config\.env\.OTHER keeps a stored value/);
    expectError(await owner.api.post('/agents', { config }), 422, /^config\.env\.OTHER keeps a stored value/);
    expectError(
      await patch(owner.api, { env: { A: { secret: 1 } } }),
      422,
      /^config\.env\.A must be a string/,
    );
  });
});
