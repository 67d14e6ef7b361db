import { createAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let operator: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { RATE_LIMIT_NEWSLETTER_PER_ADDRESS: '2' } });
  operator = await registerOperator(app);
});

afterAll(() => app.close());

const entries = async (query: string, reader = operator) =>
  (await reader.api.get(`/audit?limit=500&${query}`)).body as Record<string, any>[];
/** The entries once there are so many: refusals and reads are written in the background. */
const arrived = (query: string, count: number, reader = operator) =>
  until(async () => {
    const found = await entries(query, reader);
    return found.length >= count && found;
  });

describe('The audit log has an entry', () => {
  it('of a wrong current password at a change, which its person reads', async () => {
    const ada = await registerPerson(app);
    const change = { current_password: 'Wrong-horse-7', new_password: 'Another-horse-8' };
    expect((await ada.api.post('/auth/password', change)).status).toBe(400);
    const [entry] = await arrived('action=password.change&outcome=refused', 1, ada);
    expect(entry).toMatchObject({ actor: `user:${ada.id}`, target_id: ada.id, address: '127.0.0.1' });
    expect(JSON.stringify(entry)).not.toMatch(/Wrong-horse|Another-horse/);
  });

  it('about an unknown password link', async () => {
    const body = { token: 'x'.repeat(43), new_password: 'Another-horse-8' };
    expect((await app.api.post('/auth/password-reset', body)).status).toBe(400);
    const [entry] = await arrived('action=password.reset&outcome=refused', 1);
    expect(entry).toMatchObject({ actor: 'anonymous', target_id: null });
    expect(JSON.stringify(entry)).not.toContain(body.token);
  });

  it('of each refresh of a session, and of one that is refused', async () => {
    const ada = await registerPerson(app);
    const refreshed = await app.api.post('/auth/refresh', { refresh_token: ada.refreshToken });
    expect(refreshed.status).toBe(200);
    const [entry] = await arrived('action=session.refresh', 1, ada);
    expect(entry).toMatchObject({ actor: `user:${ada.id}`, target_id: ada.id, outcome: 'success' });
    for (let times = 0; times < 3; times++)
      expect((await app.api.post('/auth/refresh', { refresh_token: 'no token' })).status).toBe(401);
    const refused = await arrived('action=session.refresh&outcome=refused', 1);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ actor: 'anonymous', target_id: null });
  });

  it('of a key that is tried after its revocation, once for its address, which its person reads', async () => {
    const ada = await registerPerson(app);
    const agent = await createAgent(app, ada);
    const made = (await ada.api.post('/api-keys', { name: 'k' })).body;
    const ofAgent = (await ada.api.post('/api-keys', { name: 'a', agent_id: agent.id })).body;
    for (const { id } of [made, ofAgent]) await ada.api.delete(`/api-keys/${id}`);
    for (let times = 0; times < 3; times++) {
      expect((await app.api.as(made.key).get('/agents')).status).toBe(401);
      expect((await app.api.as(ofAgent.key).get('/agents/commands')).status).toBe(401);
    }
    for (const { id } of [made, ofAgent]) {
      const tried = await arrived(`action=api_key.use&target_id=${id}`, 1, ada);
      expect(tried).toHaveLength(1);
      expect(tried[0]).toMatchObject({ actor: 'anonymous', outcome: 'refused', address: '127.0.0.1' });
    }
    // A caller with the id alone has no key.
    const guessed = `${made.key.slice(0, -4)}AAAA`;
    expect((await app.api.as(guessed).get('/agents')).status).toBe(401);
    expect(await entries(`action=api_key.use&target_id=${made.id}`)).toHaveLength(1);
  });

  it('of an operator who lists people, reads leads, or exports the log', async () => {
    await app.api.post('/leads', { email: 'lead@example.com' });
    const [lead] = (await operator.api.get('/leads')).body;
    expect((await operator.api.get(`/leads/${operator.id}`)).status).toBe(404);
    await operator.api.get(`/leads/${lead.id}`);
    await operator.api.get('/users');
    await operator.api.get('/audit?limit=1', { headers: { accept: 'application/x-ndjson' } });
    for (const action of ['lead.list', 'lead.read', 'user.list', 'audit.export']) {
      const [entry] = await arrived(`action=${action}&actor=user:${operator.id}`, 1);
      expect(entry).toMatchObject({ outcome: 'success', target_id: action === 'lead.read' ? lead.id : null });
    }
    // A lead that is not there shows nothing.
    expect(await entries(`action=lead.read&actor=user:${operator.id}`)).toHaveLength(1);
  });

  it('about a caller past a limit, once in a minute', async () => {
    const subscribe = () => app.api.post('/newsletter', { email: 'ada@example.com' });
    await until(async () => (await subscribe()).status === 429);
    await subscribe();
    const limited = await until(async () => {
      const found = (await entries('action=route.call&actor=anonymous')).filter(
        ({ details }) => details.route === '/newsletter',
      );
      return found.length > 0 && found;
    });
    expect(limited).toHaveLength(1);
    expect(limited[0]).toMatchObject({
      outcome: 'refused',
      address: '127.0.0.1',
      details: { method: 'POST' },
    });
  });

  it('of a reply that is sent again with the key or the secret in it, and of no other repetition', async () => {
    const ada = await registerPerson(app);
    const twice = async (path: string, body: object) => {
      const headers = { 'Idempotency-Key': path };
      const [first, second] = [
        await ada.api.post(path, body, { headers }),
        await ada.api.post(path, body, { headers }),
      ];
      expect([first.status, second.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
      return first.body;
    };
    await twice('/api-keys', { name: 'k' });
    const agent = await twice('/agents', { name: 'a' });
    await ada.api.post(`/agents/${agent.id}/deploy`);
    await twice('/projects', { name: 'p' });
    const replayed = await entries('action=route.replay', ada);
    expect(replayed.map(({ details }) => [details.route, details.shows])).toEqual([
      ['/agents', ['api_key']],
      ['/api-keys', ['key']],
    ]);
    expect(replayed[0]).toMatchObject({ actor: `user:${ada.id}`, project_id: ada.id });
  });
});
