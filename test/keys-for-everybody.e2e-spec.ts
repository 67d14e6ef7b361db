import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import type { ApiClient } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let operator: Person;
let ida: Person;
let agent: TestAgent;
let deploymentId: string;
let webhookId: string;

beforeAll(async () => {
  app = await startTestApp({ settings: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
  operator = await registerOperator(app);
  ida = await registerPerson(app);
  agent = await createAgent(app, ida);
  deploymentId = await deploy(ida, agent);
  webhookId = (await ida.api.post('/webhooks', { url: 'http://127.0.0.1:9/hook' })).body.id;
});

afterAll(() => app.close());

const make = async (body: object, owner = operator) =>
  (await owner.api.post('/api-keys', { name: 'k', ...body })).body;
const keyWith = async (body: object): Promise<ApiClient> => app.api.as((await make(body)).key);
/** Reads and ends of others' things by an operator. */
const foreign = () => [
  `/agents/${agent.id}`,
  `/deployments/${deploymentId}`,
  `/webhooks/${webhookId}`,
  `/projects/${ida.id}`,
  `/agents?project_id=${ida.id}`,
];

describe('A key of an operator', () => {
  it("reaches its own resources, and no others nor the operators'", async () => {
    const key = await keyWith({ scopes: ['*'] });
    const own = await createAgent(app, operator);
    expect((await key.get(`/agents/${own.id}`)).status).toBe(200);
    for (const path of foreign()) expect([path, (await key.get(path)).status]).toEqual([path, 404]);
    expect((await key.get(`/agents?user_id=${ida.id}`)).body).toEqual([]);
    expect((await key.post(`/agents/${agent.id}/stop`)).status).toBe(404);
    expect((await key.delete(`/agents/${agent.id}`)).status).toBe(404);
    expect((await key.delete(`/webhooks/${webhookId}`)).status).toBe(404);
    for (const path of ['/metrics', '/leads', '/projects?all=true'])
      expectError(await key.get(path), 403, 'Operators only');
    const { body: entries } = await key.get(`/audit?target_id=${agent.id}`);
    expect(entries).toEqual([]);
  });

  it('for everybody reaches them within its scopes', async () => {
    const key = await keyWith({ scopes: ['read'], everybody: true });
    for (const path of [...foreign(), '/leads', '/projects?all=true'])
      expect([path, (await key.get(path)).status]).toEqual([path, 200]);
    expectError(await key.delete(`/agents/${agent.id}`), 403, 'Missing scope: agents');
    const metrics = await keyWith({ scopes: ['metrics'], everybody: true });
    expect((await metrics.get('/metrics')).status).toBe(200);
  });

  it('says in its list, in the audit log and after a rotation that it is for everybody', async () => {
    const made = await make({ everybody: true });
    expect(made.everybody).toBe(true);
    const rotated = (await operator.api.post(`/api-keys/${made.id}/rotate`)).body;
    const usual = await make({});
    const listed = new Map(
      (await operator.api.get('/api-keys')).body.map((it: any) => [it.id, it.everybody]),
    );
    expect([made, rotated, usual].map(({ id }) => listed.get(id))).toEqual([true, true, false]);
    expect((await app.api.as(rotated.key).get(`/agents/${agent.id}`)).status).toBe(200);
    const of = async (id: string) => (await operator.api.get(`/audit?target_id=${id}`)).body;
    for (const { details } of await of(made.id)) expect(details.everybody).toBe(true);
    expect((await of(usual.id))[0].details).not.toHaveProperty('everybody');
  });

  it('for everybody can be made only by operators, for themselves', async () => {
    expectError(await ida.api.post('/api-keys', { name: 'k', everybody: true }), 403, 'Operators only');
    const own = await createAgent(app, operator);
    for (const holder of [{ agent_id: own.id }, { project_id: operator.id }])
      expectError(
        await operator.api.post('/api-keys', { name: 'k', everybody: true, ...holder }),
        422,
        /everybody/,
      );
  });

  it("reaches no others' resources once its person is no longer an operator, and can not be rotated", async () => {
    const second = await registerPerson(app);
    await operator.api.patch(`/users/${second.id}`, { is_admin: true });
    const made = await make({ everybody: true }, second);
    const key = app.api.as(made.key);
    expect((await key.get(`/agents/${agent.id}`)).status).toBe(200);
    await operator.api.patch(`/users/${second.id}`, { is_admin: false });
    expect((await key.get(`/agents/${agent.id}`)).status).toBe(404);
    expect((await key.get('/agents')).status).toBe(200);
    expectError(await second.api.post(`/api-keys/${made.id}/rotate`), 403, 'Operators only');
  });
});
