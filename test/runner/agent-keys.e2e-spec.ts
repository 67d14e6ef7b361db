import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { AgentStage } from './agent-stage.js';

/** The library in this process, the real service, and a gateway between them that can misbehave. */
const SETTINGS = { HEARTBEAT_INTERVAL_SECONDS: '1' };
/** Time limit for repetitions after pauses that grow to half a minute each, with jitter. */
const PAUSES_PATIENCE_MS = 100_000;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: SETTINGS });
  person = await registerPerson(app);
});

afterAll(() => app.close());

/** A test with a separate stage: all of them wait for pauses, so they run concurrently. */
function itOnStage(title: string, test: (on: AgentStage) => Promise<void>): void {
  it.concurrent(title, async () => {
    const on = await AgentStage.open(app, person);
    try {
      await test(on);
    } finally {
      await on.close();
    }
  });
}

const shows = (id: string, status: string) =>
  until(async () => (await person.api.get(`/deployments/${id}`)).body.status === status, PAUSES_PATIENCE_MS);

describe('The key of an agent', () => {
  itOnStage('ends the agent and its work when it is revoked, and no further request is sent', async (on) => {
    const id = await on.deploy();
    let ended = 0;
    const { over } = on.start({ end: async () => void (ended += 1) });
    await shows(id, 'ready');
    const { body: keys } = await person.api.get('/api-keys');
    await person.api.delete(`/api-keys/${keys.find((key: any) => key.agent_id === on.agent.id).id}`);
    expect(await over).toMatchObject({ name: 'KeyRefusedError' });
    expect(ended).toBe(1);
    // earlier requests have arrived before this one
    await fetch(`${on.gateway.url}/health`);
    const calls = on.gateway.calls.length;
    await fetch(`${on.gateway.url}/health`);
    expect(on.gateway.calls.slice(calls).map(({ path }) => path)).toEqual(['/health']);
  });

  itOnStage('may be refused once without an end of the agent', async (on) => {
    let refused = false;
    on.gateway.treat = () => (refused ? 'pass' : ((refused = true), { status: 401 }));
    const id = await on.deploy();
    on.start();
    await shows(id, 'ready');
  });

  itOnStage('is not refused by pages of a proxy, however many have the status 401', async (on) => {
    const headers = { 'content-type': 'text/html', 'x-request-id': 'of-the-proxy' };
    const page = { status: 401, headers, body: '<h1>Sign in to the network</h1>' };
    const json = {
      status: 401,
      headers: { 'x-request-id': 'of-the-proxy' },
      body: { message: 'no session' },
    };
    const pages = [page, json, page, { ...page, status: 200 }, json];
    on.gateway.treat = () => pages.shift() ?? 'pass';
    const id = await on.deploy();
    // three refusals of the service would be enough
    on.start({ refusalPatienceMs: 0 });
    await shows(id, 'ready');
    expect(pages).toEqual([]);
  });

  itOnStage('ends the agent when its source gives two lines, and no message contains it', async (on) => {
    const key = { current: () => `${on.agent.key}\n# of the agent` };
    const { over } = on.start({ key, refusalPatienceMs: 0 });
    const end = await over;
    expect(end).toMatchObject({ name: 'KeyRefusedError', message: expect.stringContaining('give it alone') });
    expect(JSON.stringify([String(end), on.events])).not.toContain(on.agent.key);
    expect(on.gateway.calls).toEqual([]);
  });
});
