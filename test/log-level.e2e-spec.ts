import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
/** Another instance of the same service, without the API. */
let worker: TestApp;
let operator: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { LOG_LEVEL: 'info' } });
  operator = await registerOperator(app);
  worker = await startTestApp({ database: app.database, settings: { LOG_LEVEL: 'warn', ROLES: 'monitor' } });
});

afterAll(async () => {
  await worker.close();
  await app.close();
});

const put = (body: object, who = operator) => who.api.request('PUT', '/log-level', { body });
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
/** The lines of the log about a new level. */
const changesOf = (instance: TestApp) =>
  instance
    .log()
    .split('\n')
    .filter((line) => line.includes('the log level has changed'))
    .map((line) => JSON.parse(line).until as string | null);
/** The lines of the log for a path. */
const requestsTo = (path: string) => app.log().split(`"path":"${path}"`).length - 1;

describe('The level of the log', () => {
  it('is set for a while on all instances, and logs each request from debug on', async () => {
    const own = { level: 'info', until: null, set_at: null, set_by: null };
    expect((await operator.api.get('/log-level')).body).toEqual(own);
    await operator.api.get('/agents');
    expect(requestsTo('/agents')).toBe(0);
    const { status, body } = await put({ level: 'debug' });
    expect([status, body.level, body.set_by]).toEqual([200, 'debug', `user:${operator.id}`]);
    expect(Date.parse(body.until)).toBeGreaterThan(Date.now());
    await operator.api.get('/agents?q=a-secret');
    await until(() => requestsTo('/agents') === 1);
    expect(app.log()).not.toContain('a-secret');
    await until(() => changesOf(worker).length === 1);
    expect(changesOf(worker)).toEqual([body.until]);
  });

  it('is that of each instance again when an operator ends it, and is in the audit log', async () => {
    for (let times = 0; times < 2; times++)
      expect((await operator.api.delete('/log-level')).status).toBe(204);
    expect((await operator.api.get('/log-level')).body).toMatchObject({ level: 'info', until: null });
    const { body } = await operator.api.get('/audit?limit=500');
    const told = body.filter(({ target_type: type }: any) => type === 'service');
    expect(told.map(({ action }: any) => action)).toEqual(['log_level.delete', 'log_level.put']);
  });

  it('is that of each instance again at its end', async () => {
    await put({ level: 'debug', until: new Date(Date.now() + 1_500).toISOString() });
    await until(async () => (await operator.api.get('/log-level')).body.level === 'info');
  });

  it('is set only by operators with a session, to a known level and for a day at most', async () => {
    const person = await registerPerson(app);
    expectError(await put({ level: 'debug' }, person), 403, 'Operators only');
    expectError(await person.api.get('/log-level'), 403, 'Operators only');
    expectError(await put({ level: 'silent' }), 422, /^level must be one of/);
    expectError(await put({ level: 'debug', until: inHours(25) }), 422, 'until must be within 24 hours');
    expectError(await put({ level: 'debug', until: inHours(-1) }), 422, 'until must be in the future');
  });
});
