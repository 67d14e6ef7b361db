import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { WEBHOOK_SETTINGS } from './builders/webhooks.js';
import type { ApiReply } from './harness/api-client.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const LIMIT = 3;
const ATTEMPTS = 10;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({
    settings: {
      ...WEBHOOK_SETTINGS,
      MAX_AGENTS_PER_PROJECT: `${LIMIT}`,
      MAX_API_KEYS_PER_PROJECT: `${LIMIT}`,
      MAX_WEBHOOKS_PER_PROJECT: `${LIMIT}`,
    },
  });
});

beforeEach(async () => {
  person = await registerPerson(app);
});

afterAll(() => app.close());

const agentsRefusal = () => `The project ${person.id} can have 3 agents at most: delete one first`;

/** Requests at once. @returns those that succeeded, after all others were seen to be refused with this message */
async function race(message: string, request: (index: number) => Promise<ApiReply<any>>): Promise<any[]> {
  const replies = await Promise.all(Array.from({ length: ATTEMPTS }, (_, index) => request(index)));
  const refused = replies.filter(({ status }) => status !== 201 && status !== 200);
  for (const { status, body } of refused) expect([status, body.message]).toEqual([409, message]);
  return replies.filter((reply) => !refused.includes(reply)).map(({ body }) => body);
}

describe('The limit of a project', () => {
  it('on agents is exact when both routes that create them race, and a deleted agent frees a place', async () => {
    const made = await race(agentsRefusal(), (index) =>
      index % 2 ? person.api.post('/agents', {}) : person.api.post('/agents/register', {}),
    );
    expect(made).toHaveLength(LIMIT);
    await person.api.delete(`/agents/${made[0].agent_id}`);
    expect((await person.api.post('/agents', {})).status).toBe(201);
    expect((await person.api.post('/agents', {})).status).toBe(409);
    const other = await registerPerson(app);
    expect((await other.api.post('/agents', {})).status).toBe(201);
  });

  it('on API keys is exact when requests race, a revoked key frees a place, and a rotation needs none', async () => {
    const message = 'A project can have 3 API keys at most: revoke one first';
    const made = await race(message, () => person.api.post('/api-keys', { name: 'x' }));
    expect(made).toHaveLength(LIMIT);
    expect((await person.api.post(`/api-keys/${made[0].id}/rotate`)).status).toBe(200);
    expect((await person.api.post('/api-keys', { name: 'x' })).status).toBe(409);
    await person.api.delete(`/api-keys/${made[1].id}`);
    expect((await person.api.post('/api-keys', { name: 'x' })).status).toBe(201);
  });

  it("on the keys of one agent counts the first key, and no other agent's", async () => {
    const [agent, other] = [await createAgent(app, person), await createAgent(app, person)];
    const message = 'An agent can have 3 API keys at most: revoke one first';
    const forAgent = { name: 'x', agent_id: agent.id };
    expect(await race(message, () => person.api.post('/api-keys', forAgent))).toHaveLength(LIMIT - 1);
    expect((await person.api.post('/api-keys', { name: 'x', agent_id: other.id })).status).toBe(201);
  });

  it('on webhooks is the configured one', async () => {
    const message = `The project ${person.id} can have 3 webhooks at most: delete one first`;
    const made = await race(message, () => person.api.post('/webhooks', { url: 'http://127.0.0.1:9/' }));
    expect(made).toHaveLength(LIMIT);
  });
});
