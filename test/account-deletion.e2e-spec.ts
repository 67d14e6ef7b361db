import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent } from './builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from './builders/people.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { withinASecond } from './harness/within-a-second.js';

const EMAIL = 'Grace.Hopper@example.com';
const FROM_HOME = { headers: { 'x-forwarded-for': '203.0.113.99', 'user-agent': 'Compiler A-0' } };
/** Texts that would name the person, in lower case. The last is the trace of a request of the browser. */
const TRACES = ['grace', 'hopper', '203.0.113.99', 'compiler a-0', 'hopper-request'];
/** More than two bites of the job. */
const ENTRIES = 1_100;

let service: TestApp;
let other: TestApp;
let operator: Person;

beforeAll(async () => {
  service = await startTestApp({ settings: { TRUST_PROXY: '1' } });
  other = await startTestApp({ database: service.database });
  operator = await registerOperator(service);
});

afterAll(async () => {
  await expectCleanAudit(service.database);
  await other.close();
  await service.close();
});

const round = (name: 'accountErasure' | 'auditChain' | 'projectPurge') =>
  until(() => service.app.get(PeriodicJobs).runOnce(name));

async function registerGrace(): Promise<Person> {
  const wanted = { email: EMAIL, password: GOOD_PASSWORD, name: 'Grace Hopper' };
  const { body } = await service.api.post('/auth/register', wanted, FROM_HOME);
  const api = service.api.as(body.access_token);
  const { id } = (await api.get('/auth/me')).body;
  return { email: EMAIL, id, accessToken: body.access_token, refreshToken: body.refresh_token, api };
}

/** Every row of every table as text, in lower case; without the counters of rate limits, which go by themselves and name nobody. */
async function everything(): Promise<string> {
  const tables = await service.database.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relname <> 'rate_limits' AND relnamespace = current_schema()::regnamespace`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const [row] = await service.database.query<{ text: string | null }>(
      `SELECT string_agg(stored::text, E'\n') AS text FROM ${name} AS stored`,
    );
    texts.push(row!.text ?? '');
  }
  return texts.join('\n').toLowerCase();
}

const tracesLeft = async () => {
  const stored = await everything();
  return TRACES.filter((trace) => stored.includes(trace));
};

describe('The deletion of an account', () => {
  it('leaves no address, name or place of the person anywhere in the database, and the chain of the audit log holds', async () => {
    const grace = await registerGrace();
    const owner = await registerPerson(service);
    const project = (await owner.api.post('/projects', { name: 'shared' })).body.id;
    await owner.api.post(`/projects/${project}/members`, { email: EMAIL, role: 'deployer' });
    const { key } = (
      await grace.api.post('/api-keys', { name: 'laptop of Grace', scopes: ['read'] }, FROM_HOME)
    ).body;
    await service.api.post('/leads', { email: EMAIL, name: 'Grace Hopper', message: 'Call me' }, FROM_HOME);
    await service.api.post('/newsletter', { email: EMAIL }, FROM_HOME);
    await service.api.post('/auth/login', { email: EMAIL, password: 'a wrong one' }, FROM_HOME);
    const isKnown = () =>
      other.api
        .as(key)
        .get('/agents')
        .then(({ status }) => status === 200);
    expect(await isKnown()).toBe(true);
    // An entry as a version without erasures has written it, and many.
    await service.database.query(
      `INSERT INTO audit_log (id, at, actor, action, target_type, outcome, address, request_id, details, user_id, salt)
       SELECT make_uuidv7(), now(), 'user:' || $1, 'agent.update', 'agent', 'success', '203.0.113.99', 'hopper-request',
         '{"name": "grace"}', $1::uuid, CASE WHEN number > 1 THEN uuid_send(gen_random_uuid()) END
       FROM generate_series(1, ${ENTRIES}) AS number`,
      [grace.id],
    );
    await until(async () => (await everything()).includes('wrong password'));
    await round('auditChain');
    expect(await tracesLeft()).toEqual(TRACES);

    expect((await operator.api.delete(`/users/${grace.id}`)).status).toBe(204);
    expect((await grace.api.get('/auth/me')).status).toBe(401);
    await withinASecond(async () => !(await isKnown()));
    const members = (await owner.api.get(`/projects/${project}/members`)).body;
    expect(members.map(({ user_id }: { user_id: string }) => user_id)).toEqual([owner.id]);
    await round('accountErasure');
    expect(await tracesLeft()).toEqual([]);
    await round('auditChain');
    await expectCleanAudit(service.database);

    const { body } = await operator.api.get(`/audit?actor=user:${grace.id}&action=api_key.create`);
    expect(body).toMatchObject([
      { actor: `user:${grace.id}`, target_type: 'api_key', address: null, request_id: null, details: {} },
    ]);
    expect((await service.api.get('/newsletter')).body).toEqual({ count: 0 });
    const again = await registerGrace();
    expect(again.id).not.toBe(grace.id);
    expect((await operator.api.delete(`/users/${again.id}`)).status).toBe(204);
  });

  it('is followed by a second pass an hour later, which finds later entries', async () => {
    const person = await registerPerson(service);
    await operator.api.delete(`/users/${person.id}`);
    await round('accountErasure');
    await service.database.query(
      `INSERT INTO audit_log (id, at, actor, action, target_type, outcome, address, details, user_id)
       VALUES (make_uuidv7(), now(), 'user:' || $1, 'agent.read', 'agent', 'success', '203.0.113.99', '{}', $1::uuid)`,
      [person.id],
    );
    await round('accountErasure');
    expect(await tracesLeft()).toEqual(['203.0.113.99']);
    for (const column of ['deleted_at', 'erased_at'])
      await service.database.query(
        `UPDATE projects SET ${column} = ${column} - interval '2 days' WHERE id = $1`,
        [person.id],
      );
    const isThere = async () => {
      await round('projectPurge');
      return (await service.database.query('SELECT FROM projects WHERE id = $1', [person.id])).length === 1;
    };
    expect(await isThere()).toBe(true);
    await round('accountErasure');
    expect(await tracesLeft()).toEqual([]);
    expect(await isThere()).toBe(false);
  });

  it('is refused while the personal project has agents, or another project would have no owner', async () => {
    const person = await registerPerson(service);
    const agent = await createAgent(service, person);
    const refusal = async () => {
      const { status, body } = await operator.api.delete(`/users/${person.id}`);
      return [status, body.code, body.message];
    };
    expect(await refusal()).toEqual([
      409,
      'project_not_empty',
      'The personal project has 1 agent: move or delete it first',
    ]);
    const project = (await person.api.post('/projects', { name: 'alone' })).body.id;
    await person.api.patch(`/agents/${agent.id}`, { project_id: project });
    expect(await refusal()).toEqual([
      409,
      'last_owner',
      `The person is the last owner of the project ${project}: add another owner first, or delete the project`,
    ]);
    const heir = await registerPerson(service);
    await person.api.post(`/projects/${project}/members`, { email: heir.email, role: 'owner' });
    expect((await operator.api.delete(`/users/${person.id}`)).status).toBe(204);
    expect((await heir.api.get(`/agents/${agent.id}`)).status).toBe(200);
    expect((await operator.api.delete(`/users/${person.id}`)).status).toBe(404);
  });

  it('is refused for the last operator, and happens once when two operators delete each other at the same moment', async () => {
    expect((await operator.api.delete(`/users/${operator.id}`)).body.code).toBe('last_operator');
    const second = await registerPerson(service);
    await operator.api.patch(`/users/${second.id}`, { is_admin: true });
    const replies = await Promise.all([
      operator.api.delete(`/users/${second.id}`),
      other.api.as(second.accessToken).delete(`/users/${operator.id}`),
    ]);
    expect(replies.map(({ status }) => status).filter((status) => status === 204)).toHaveLength(1);
    const [left] = await service.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM users WHERE is_admin',
    );
    expect(left!.count).toBe(1);
  });
});

describe('An entry of the audit log', () => {
  it.each([
    [
      'of an account that is there',
      'SELECT erase_audit_entries(id, $$00000000-0000-0000-0000-000000000000$$, 10) FROM users LIMIT 1',
      'was not deleted',
    ],
    [
      'in part',
      'UPDATE audit_log SET address = NULL, erased_hash = audit_personal_hash(audit_log)',
      'append-only',
    ],
    [
      'with another hash',
      `UPDATE audit_log SET erased_hash = '', salt = NULL, address = NULL, request_id = NULL, details = '{}'
       WHERE salt IS NOT NULL`,
      'append-only',
    ],
  ])('is not erased: %s', async (_what, statement, refusal) => {
    await expect(service.database.query(statement)).rejects.toThrow(refusal);
  });
});
