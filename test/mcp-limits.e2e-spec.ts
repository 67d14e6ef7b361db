import { createAgent } from './builders/agents.js';
import { Assistant } from './builders/mcp.js';
import { type Person, registerPerson } from './builders/people.js';
import { untilSomeoneWaits, whileHeld } from './harness/held-lock.js';
import { SEVERAL_CONNECTIONS, startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp({
    settings: { ...SEVERAL_CONNECTIONS, MAX_REQUESTS_IN_FLIGHT_PER_ADDRESS: '1' },
  });
  person = await registerPerson(service);
});

afterAll(() => service.close());

describe('A call of a tool', () => {
  it('takes the places of the routes that it calls, for the address of its caller, and none of its own', async () => {
    const { id } = await createAgent(service, person);
    const assistant = await Assistant.connect(service, person.accessToken);
    // The tool calls several routes, one after the other.
    expect(await assistant.call('why', { agent_id: id })).toMatchObject({ agent: { id } });
    await whileHeld(service.database, `SELECT FROM agents WHERE id = '${id}' FOR UPDATE`, async (release) => {
      const act = assistant.call('stop_agent', { agent_id: id });
      await untilSomeoneWaits(service.database);
      expect((await person.api.get('/agents')).status).toBe(503);
      await expect(assistant.ask('overview')).rejects.toThrow('503');
      await release();
      expect(await act).toMatchObject({ stopped: 0 });
    });
    const [entry] = (await person.api.get('/audit?action=agent.stop')).body;
    expect(entry).toMatchObject({ target_id: id, address: '127.0.0.1', details: { via: 'mcp' } });
  });
});
