import { createAgent } from './builders/agents.js';
import { registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;

beforeAll(async () => {
  service = await startTestApp({ settings: { PUBLIC_URL: 'https://example.com/control/' } });
});

afterAll(() => service.close());

describe('Behind a proxy that strips a prefix', () => {
  it('the document names the prefix as its server', async () => {
    expect((await service.api.get('/openapi.json')).body.servers[0].url).toBe('/control');
  });

  it('a list has the prefix in its Link', async () => {
    const person = await registerPerson(service);
    await createAgent(service, person);
    await createAgent(service, person);
    const { headers } = await person.api.get('/agents?limit=1');
    expect(headers.get('link')).toMatch(/^<\/control\/agents\?/);
  });
});
