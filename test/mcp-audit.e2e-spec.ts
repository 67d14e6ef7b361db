import { createAgent } from './builders/agents.js';
import { Assistant, type Revision, REVISIONS } from './builders/mcp.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});

afterAll(() => service.close());

describe.each(Object.keys(REVISIONS) as Revision[])('The audit log, in the revision %s', (revision) => {
  const entries = async (action: string) => (await person.api.get(`/audit?action=${action}`)).body as any[];

  it('has each call of a tool with the program that made it, and an act by its key with via', async () => {
    const { id } = await createAgent(service, person);
    const { body: key } = await person.api.post('/api-keys', {
      name: 'assistant',
      scopes: ['read', 'deploy'],
    });
    const assistant = await Assistant.connect(service, key.key, { revision });
    await assistant.call('deploy_agent', { agent_id: id });
    await assistant.ask('get_agent', { agent_id: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' });
    await expect(assistant.ask('drop_table')).rejects.toThrow();
    const by = { via: 'mcp', client: 'test-assistant', client_version: '7.1.0' };
    const [act] = (await entries('agent.deploy')).filter((entry) => entry.target_id === id);
    expect(act).toMatchObject({ actor: `key:${key.id}`, details: by });
    await until(
      async () => (await entries('mcp.call')).filter(({ actor }) => actor === act.actor).length === 3,
    );
    const calls = (await entries('mcp.call')).filter(({ actor }) => actor === act.actor);
    expect(calls.map(({ outcome, details }) => ({ outcome, details })).reverse()).toEqual([
      { outcome: 'success', details: { tool: 'deploy_agent', agent_id: id, ...by } },
      {
        outcome: 'refused',
        details: { tool: 'get_agent', agent_id: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d', ...by },
      },
      { outcome: 'refused', details: { tool: null, ...by } },
    ]);
    expect(calls[2].request_id).toBe(act.request_id);
  });

  it('says nothing of a way for the same act over HTTP', async () => {
    const { id } = await createAgent(service, person);
    await person.api.post(`/agents/${id}/deploy`, {}, { headers: { via: 'mcp', 'x-via': 'mcp' } });
    const [act] = (await entries('agent.deploy')).filter((entry) => entry.target_id === id);
    expect(act.details).not.toHaveProperty('via');
  });
});
