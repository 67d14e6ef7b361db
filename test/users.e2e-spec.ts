import { createAgent, deploy } from './builders/agents.js';
import { createWebhook } from './builders/webhooks.js';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from './builders/people.js';
import { startChildService, urlOf } from './harness/child-service.js';
import { SETUP_TOKEN } from './harness/setup-token.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { withinASecond } from './harness/within-a-second.js';

async function operatorsOf(service: TestApp): Promise<string[]> {
  const rows = await service.database.query<{ email: string }>(
    'SELECT email FROM users WHERE is_admin ORDER BY id',
  );
  return rows.map(({ email }) => email);
}

describe('The role of the first operator', () => {
  let service: TestApp;

  const EMBEDDED = { DATABASE_URL: '' };
  const register = (email: string, body: object = {}, headers: Record<string, string> = {}) =>
    service.api.post('/auth/register', { email, password: GOOD_PASSWORD, ...body }, { headers });

  afterEach(() => service.close());

  it('goes to exactly one of twenty racing registrations on the embedded database', async () => {
    service = await startTestApp({ settings: EMBEDDED });
    expect((await service.api.get('/auth/methods')).body).toMatchObject({ creates_operator: true });
    const racers = Array.from({ length: 20 }, (_, n) => registerPerson(service, `racer-${n}@example.com`));
    await Promise.all(racers);
    expect(await operatorsOf(service)).toHaveLength(1);
    expect((await service.api.get('/auth/methods')).body).toMatchObject({ creates_operator: false });
    await registerPerson(service, 'late@example.com');
    expect(await operatorsOf(service)).toHaveLength(1);
  });

  it('goes to one of several racing registrations with an Idempotency-Key, whose transaction is longer', async () => {
    service = await startTestApp({ settings: EMBEDDED });
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        register(`keyed-${index}@example.com`, {}, { 'idempotency-key': `key-${index}` }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(await operatorsOf(service)).toHaveLength(1);
  });

  it('is given only with the setup token, also on the embedded database when it is open to a network', async () => {
    service = await startTestApp({ settings: { ...EMBEDDED, HOST: '0.0.0.0' } });
    expect((await service.api.get('/auth/methods')).body).toMatchObject({ creates_operator: false });
    await registerPerson(service);
    const elsewhere = await startTestApp({ database: service.database });
    try {
      await registerPerson(elsewhere);
      expect(await operatorsOf(service)).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('goes to one of several racing registrations with the setup token, and the others get no account', async () => {
    service = await startTestApp();
    await registerPerson(service);
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        register(`setup-${index}@example.com`, { setup_token: SETUP_TOKEN }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(403)]);
    expect(await operatorsOf(service)).toHaveLength(1);
    const [row] = await service.database.query<{ count: number }>('SELECT count(*)::int AS count FROM users');
    expect(row?.count).toBe(2);
  });

  it('is refused with a wrong setup token, and is available while registration is closed', async () => {
    service = await startTestApp({ settings: { ALLOW_REGISTRATION: 'false' } });
    const wrong = await register('wrong@example.com', { setup_token: `${SETUP_TOKEN}.` });
    expect(wrong.status).toBe(403);
    expect(wrong.body.message).toMatch(/^The setup token is wrong/);
    expect((await register('nobody@example.com')).status).toBe(403);
    expect((await register('boss@example.com', { setup_token: SETUP_TOKEN })).status).toBe(201);
    expect(await operatorsOf(service)).toEqual(['boss@example.com']);
    const late = await register('late@example.com', { setup_token: SETUP_TOKEN });
    expect([late.status, late.body.message]).toEqual([
      403,
      'There is an operator already: register without a setup token',
    ]);
  });

  it('requires the logged token when no SETUP_TOKEN is set, which is the same on each instance', async () => {
    service = await startTestApp();
    const settings = {
      SETUP_TOKEN: '',
      LOG_LEVEL: 'warn',
      DATABASE_URL: urlOf(service.database.target),
    };
    const instances = await Promise.all([startChildService(settings), startChildService(settings)]);
    try {
      const [one, other] = await Promise.all(
        instances.map((instance) => until(() => /"setup_token":"([\w-]{43})"/.exec(instance.output())?.[1])),
      );
      expect(one).toBe(other);
      const reply = await instances[0].api.post('/auth/register', {
        email: 'boss@example.com',
        password: GOOD_PASSWORD,
        setup_token: one,
      });
      expect(reply.status).toBe(201);
      expect(await operatorsOf(service)).toEqual(['boss@example.com']);
    } finally {
      await Promise.all(instances.map((instance) => instance.end('SIGTERM')));
    }
  });
});

describe('/users', () => {
  let service: TestApp;
  let operator: Person;
  let member: Person;

  beforeAll(async () => {
    service = await startTestApp();
    operator = await registerOperator(service, 'operator@example.com');
    member = await registerPerson(service, 'member@example.com');
  });

  afterAll(() => service.close());

  const patch = (id: string, body: unknown) => operator.api.patch(`/users/${id}`, body);

  it('lists all accounts, newest first, without secrets', async () => {
    const { status, headers, body } = await operator.api.get('/users');
    expect(status).toBe(200);
    expect(body.map(({ email }: { email: string }) => email)).toEqual([member.email, operator.email]);
    expect(body[0]).toEqual({
      ...{ id: member.id, email: member.email, name: null, is_active: true, is_admin: false },
      ...{ has_second_factor: false, password_reset_at: null },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    });
    expect(headers.get('link')).toBeNull();
    expect(headers.get('x-total-count')).toBeNull();
  });

  it('paginates', async () => {
    const first = await operator.api.get('/users?limit=1&include_total=true');
    expect(first.headers.get('x-total-count')).toBe('2');
    const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await operator.api.get(String(next));
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual([member.id, operator.id]);
    expect(second.headers.get('link')).toBeNull();
    expect((await operator.api.get('/users?limit=101')).status).toBe(422);
    expect((await operator.api.get('/users?skip=-1')).status).toBe(422);
  });

  it('is open to operators only', async () => {
    for (const reply of [
      await member.api.get('/users'),
      await member.api.patch(`/users/${member.id}`, { is_admin: true }),
    ]) {
      expect([reply.status, reply.body.message]).toEqual([403, 'Operators only']);
    }
    expect((await service.api.get('/users')).status).toBe(401);
  });

  it.each([
    ['is_active must be a boolean value', { is_active: 'false' }],
    ['is_active must be a boolean value', { is_active: null }],
    ['is_admin must be a boolean value', { is_admin: 1 }],
    ['property email should not exist', { email: 'other@example.com' }],
    ['property password_hash should not exist', { password_hash: 'x' }],
  ])('refuses a malformed change: %s', async (complaint, body) => {
    const reply = await patch(member.id, body);
    expect([reply.status, reply.body.message]).toEqual([422, [complaint]]);
  });

  it('returns 404 for an unknown account', async () => {
    const unknown = await patch('01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d', { is_admin: true });
    expect([unknown.status, unknown.body.message]).toEqual([404, 'User not found']);
    expect((await patch('not-a-uuid', {})).status).toBe(422);
  });

  it('changes the named properties and keeps the others', async () => {
    const person = await registerPerson(service, 'changing@example.com');
    const promoted = await patch(person.id, { is_admin: true });
    expect([promoted.status, promoted.body.is_admin, promoted.body.is_active]).toEqual([200, true, true]);
    expect((await person.api.get('/users')).status).toBe(200);
    const demoted = await patch(person.id, { is_admin: false });
    expect([demoted.body.is_admin, demoted.body.is_active]).toEqual([false, true]);
    expect((await person.api.get('/users')).status).toBe(403);
    expect((await patch(person.id, {})).body).toEqual({ ...demoted.body, updated_at: expect.any(String) });
  });

  it('refuses to remove the last active operator', async () => {
    for (const change of [{ is_admin: false }, { is_active: false }, { is_active: false, is_admin: true }]) {
      const reply = await patch(operator.id, change);
      expect([reply.status, reply.body.message]).toEqual([
        409,
        "The last active operator can't be deactivated, demoted or deleted",
      ]);
    }
    const dormant = await registerPerson(service, 'dormant@example.com');
    await patch(dormant.id, { is_admin: true, is_active: false });
    expect((await patch(operator.id, { is_admin: false })).status).toBe(409);
    expect((await patch(operator.id, { is_admin: true, is_active: true })).status).toBe(200);
  });

  it('keeps one of two operators who remove each other at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const rival = await registerPerson(service, `rival-${round}@example.com`);
      await patch(rival.id, { is_admin: true });
      const replies = await Promise.all([
        operator.api.patch(`/users/${rival.id}`, { is_admin: false }),
        rival.api.patch(`/users/${operator.id}`, { is_active: false }),
      ]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      const [row] = await service.database.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM users WHERE is_admin AND is_active',
      );
      expect(row?.count).toBe(1);
      // The other one is no operator any more, or its session has ended.
      if (replies[1]?.status === 200) operator = rival;
    }
  });

  it('refuses a deactivated account at once, and on another instance within a second', async () => {
    const person = await registerPerson(service, 'locked@example.com');
    const other = await startTestApp({ database: service.database });
    try {
      const here = person.api;
      const there = other.api.as(person.accessToken);
      expect([(await here.get('/auth/me')).status, (await there.get('/auth/me')).status]).toEqual([200, 200]);

      const changed = await patch(person.id, { is_active: false });
      expect(changed.body.is_active).toBe(false);
      const refused = await here.get('/auth/me');
      expect([refused.status, refused.body.message]).toEqual([403, 'Account is deactivated']);
      await withinASecond(async () => (await there.get('/auth/me')).status === 403);

      // Its sessions are over permanently: the account works again, its old tokens don't.
      await patch(person.id, { is_active: true });
      expect((await here.get('/auth/me')).status).toBe(401);
      await withinASecond(async () => (await there.get('/auth/me')).status === 401);
      const renewed = await service.api.post('/auth/refresh', { refresh_token: person.refreshToken });
      expect(renewed.status).toBe(401);
      const login = await service.api.post('/auth/login', { email: person.email, password: GOOD_PASSWORD });
      expect((await service.api.as(login.body.access_token).get('/auth/me')).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('stops the agents of an account that is deactivated with stop_agents', async () => {
    const person = await registerPerson(service);
    const agents = [await createAgent(service, person), await createAgent(service, person)];
    const [first, second] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const deployment = await deploy(person, first);
    const alone = await patch(person.id, { stop_agents: true });
    expect([alone.status, alone.body.message]).toEqual([422, ['stop_agents requires is_active: false']]);
    expect((await patch(person.id, { is_active: false, stop_agents: true })).status).toBe(200);
    for (const { id } of [first, second]) {
      expect((await operator.api.get(`/agents/${id}`)).body.status).toBe('stopped');
    }
    expect((await operator.api.get(`/deployments/${deployment}`)).body.status).toBe('stopped');
    const history = await operator.api.get(`/deployments/${deployment}/events`);
    expect(history.body.items[0]).toMatchObject({ event_type: 'stop', actor: `user:${operator.id}` });
    expect((await patch(person.id, { is_active: false, stop_agents: true })).status).toBe(200);
  });

  it("lets operators read, stop and delete others' agents, deployments, webhooks and keys by id, and nothing else", async () => {
    const owner = await registerPerson(service);
    const agent = await createAgent(service, owner);
    const deployment = await deploy(owner, agent);
    const webhook = await createWebhook(owner, 'https://hooks.example.com/');
    const paths = [`/agents/${agent.id}`, `/deployments/${deployment}`, `/webhooks/${webhook.id}`];
    for (const path of [...paths, `/deployments/${deployment}/events`]) {
      expect([path, (await operator.api.get(path)).status]).toEqual([path, 200]);
      expect([path, (await member.api.get(path)).status]).toEqual([path, 404]);
    }
    for (const path of ['/agents', '/deployments', '/webhooks'])
      expect((await operator.api.get(path)).body).toEqual([]);
    expect((await operator.api.post(`/agents/${agent.id}/deploy`)).status).toBe(404);
    expect((await operator.api.post(`/deployments/${deployment}/scale`, { replicas: 2 })).status).toBe(404);
    expect((await operator.api.patch(`/webhooks/${webhook.id}`, { is_active: false })).status).toBe(404);
    expect((await operator.api.post(`/agents/${agent.id}/stop`)).body.stopped).toBe(1);
    expect((await operator.api.post(`/deployments/${deployment}/restart`)).status).toBe(404);
    const key = (await owner.api.post('/api-keys', { name: 'leaked' })).body;
    for (const path of [paths[1]!, paths[2]!, `/api-keys/${key.id}`, paths[0]!]) {
      expect([path, (await member.api.delete(path)).status]).toEqual([path, 404]);
      expect([path, (await operator.api.delete(path)).status]).toEqual([path, 204]);
    }
    expect((await owner.api.get(`/agents/${agent.id}`)).status).toBe(404);
    expect((await service.api.as(key.key).get('/agents')).status).toBe(401);
    const acts = await owner.api.get(`/audit?actor=user:${operator.id}`);
    const actions = ['agent.delete', 'api_key.revoke', 'webhook.delete', 'deployment.kill', 'agent.stop'];
    const changes = acts.body.filter(({ action }: { action: string }) => !action.endsWith('.read'));
    expect(changes.map(({ action }: { action: string }) => action)).toEqual(actions);
  });
});
