import { jest } from '@jest/globals';
import { Database } from '../src/database/database.js';
import { SwitchesRepository } from '../src/switches/switches.repository.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { issueKey } from './builders/credentials.js';
import { Assistant } from './builders/mcp.js';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const REASON = 'The database moves';
const NONE = { is_on: false, reason: null, until: null, set_at: null, set_by: null };

let app: TestApp;
/** Another instance of the same service. */
let other: TestApp;
let operator: Person;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  operator = await registerOperator(app);
  person = await registerPerson(app);
  agent = await createAgent(app, person);
});

afterAll(async () => {
  await other?.close();
  await app.close();
});

const put = (body: object, who = operator) => who.api.request('PUT', '/maintenance', { body });
const change = ({ api }: TestApp = app, credential = person.accessToken) =>
  api.as(credential).patch(`/agents/${agent.id}`, { description: 'changed' });
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe('Maintenance', () => {
  it("refuses people's changes with its reason, on an instance that starts meanwhile, too", async () => {
    expect((await change()).status).toBe(200);
    const set = await put({ reason: REASON });
    const shown = { ...NONE, is_on: true, reason: REASON, set_by: `user:${operator.id}` };
    expect(set).toMatchObject({ status: 200, body: { ...shown, set_at: expect.any(String) } });
    other = await startTestApp({ database: app.database });
    for (const each of [app, other]) {
      for (const credential of [person.accessToken, operator.accessToken, await issueKey(app, person)]) {
        const refused = await change(each, credential);
        expectError(refused, 503, `Changes are refused during maintenance: ${REASON}`);
        expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['maintenance', '60']);
      }
      const seen = await each.api.as(person.accessToken).get('/maintenance');
      expect(seen.body).toEqual(set.body);
    }
    expectError(await app.api.as('nobody').post('/agents', {}), 401);
  });

  it('lets reads, sign-in, sign-out, second factors and agents through', async () => {
    expect((await person.api.get('/agents')).status).toBe(200);
    const login = { email: person.email, password: GOOD_PASSWORD };
    const { status, body } = await app.api.post('/auth/login', login);
    expect(status).toBe(200);
    const session = app.api.as(body.access_token);
    expect((await session.post('/auth/step-up', { password: GOOD_PASSWORD })).status).toBe(200);
    expect((await session.post('/auth/factors/totp', { name: 'a phone' })).status).toBe(201);
    expect((await session.post('/auth/logout')).status).toBe(200);
    expect((await agent.runtime.post('/agents/heartbeat', {})).status).toBe(200);
    expect((await agent.runtime.post('/agents/logs', { level: 'info', message: 'x' })).status).toBeLessThan(
      300,
    );
  });

  it('is announced by the tools of assistants that change something, and by no other', async () => {
    const key = await issueKey(app, person);
    const assistant = await Assistant.connect(app, key);
    expect((await assistant.ask('pause_agent', { agent_id: agent.id })).text).toContain(
      `503 maintenance: Changes are refused during maintenance: ${REASON}. Try again in 60 seconds.`,
    );
    expect((await assistant.ask('find_agents')).isError).toBe(false);
    await assistant.close();
  });

  it('ends on all instances when an operator ends it, and is in the audit log', async () => {
    const end = inHours(2);
    await put({ reason: 'Longer', until: end });
    const refused = await change();
    expectError(refused, 503, `Changes are refused during maintenance: Longer (until ${end})`);
    expect(refused.headers.get('retry-after')).toBe('3600');
    for (let times = 0; times < 2; times++)
      expect((await other.api.as(operator.accessToken).delete('/maintenance')).status).toBe(204);
    expect((await change(other)).status).toBe(200);
    await until(async () => (await change()).status === 200);
    expect((await person.api.get('/maintenance')).body).toEqual(NONE);
    const { body } = await operator.api.get('/audit?limit=500');
    const told = body.filter(({ target_type: type }: any) => type === 'service');
    expect(told.map(({ action, details }: any) => [action, details])).toEqual([
      ['maintenance.end', {}],
      ['maintenance.start', { reason: 'Longer', until: end }],
      ['maintenance.start', { reason: REASON, until: null }],
    ]);
  });

  it('has ended on the instance that ends it, also while an older read of the switches is under way', async () => {
    const repository = app.app.get(SwitchesRepository);
    const { manager } = app.app.get(Database).background;
    const listOn = repository.listOn.bind(repository);
    const older = Promise.withResolvers<void>();
    const newer = Promise.withResolvers<void>();
    const gates = [older, newer];
    let held = 0;
    const spy = jest.spyOn(repository, 'listOn').mockImplementation(async (connection) => {
      const on = await listOn(connection);
      if (connection === manager) await gates[held++]?.promise;
      return on;
    });
    try {
      await put({ reason: REASON });
      await until(() => held === 1);
      expect((await operator.api.delete('/maintenance')).status).toBe(204);
      older.resolve();
      await until(() => held === 2);
      expect((await change()).status).toBe(200);
    } finally {
      older.resolve();
      newer.resolve();
      spy.mockRestore();
    }
    await until(async () => (await change(other)).status === 200);
  });

  it('ends by itself at its end', async () => {
    await put({ reason: 'Short', until: new Date(Date.now() + 1_500).toISOString() });
    await until(async () => (await change(other)).status === 503);
    await until(async () => (await change()).status === 200 && (await change(other)).status === 200);
    expect((await person.api.get('/maintenance')).body).toEqual(NONE);
  });

  it('is set only by operators with a session, with a reason and an end in the future', async () => {
    expectError(await put({ reason: REASON }, person), 403, 'Operators only');
    expectError(await person.api.delete('/maintenance'), 403, 'Operators only');
    const key = await issueKey(app, operator);
    expectError(await app.api.as(key).request('PUT', '/maintenance', { body: { reason: REASON } }), 401);
    expectError(await put({}), 422, /^reason must be/);
    expectError(await put({ reason: REASON, until: inHours(-1) }), 422, 'until must be in the future');
    expect((await change()).status).toBe(200);
  });
});
