import { GOOD_PASSWORD, type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { withinASecond } from './harness/within-a-second.js';

async function operatorsOf(service: TestApp): Promise<string[]> {
  const rows = await service.database.query<{ email: string }>(
    'SELECT email FROM users WHERE is_admin ORDER BY id',
  );
  return rows.map(({ email }) => email);
}

describe('who becomes an operator', () => {
  let service: TestApp;

  afterEach(() => service.close());

  it('is exactly one of twenty who race to be the first', async () => {
    service = await startTestApp();
    const emails = Array.from({ length: 20 }, (_, index) => `racer-${index}@example.com`);
    const people = await Promise.all(emails.map((email) => registerPerson(service, email)));
    expect(people).toHaveLength(20);
    expect(await operatorsOf(service)).toHaveLength(1);
    await registerPerson(service, 'late@example.com');
    expect(await operatorsOf(service)).toHaveLength(1);
  });

  it('is the first under an Idempotency-Key too, whose transaction is longer', async () => {
    service = await startTestApp();
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        service.api.post(
          '/auth/register',
          { email: `keyed-${index}@example.com`, password: GOOD_PASSWORD },
          { headers: { 'idempotency-key': `key-${index}` } },
        ),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(await operatorsOf(service)).toHaveLength(1);
  });

  it('is who is listed in ADMIN_EMAILS, in whatever case, and then nobody for being the first', async () => {
    service = await startTestApp({ settings: { ADMIN_EMAILS: 'Boss@Example.com, second@example.com' } });
    await registerPerson(service, 'first@example.com');
    await registerPerson(service, 'BOSS@example.com');
    await registerPerson(service, 'second@example.com');
    expect(await operatorsOf(service)).toEqual(['BOSS@example.com', 'second@example.com']);
  });

  it('is who was listed after having registered, from the next start on', async () => {
    service = await startTestApp();
    await registerPerson(service, 'first@example.com');
    const later = await registerPerson(service, 'Later@example.com');
    expect((await later.api.get('/users')).status).toBe(403);
    const restarted = await startTestApp({
      database: service.database,
      settings: { ADMIN_EMAILS: 'later@EXAMPLE.com' },
    });
    try {
      await until(async () => (await operatorsOf(service)).includes('Later@example.com'));
      await withinASecond(async () => (await later.api.get('/users')).status === 200);
      expect((await restarted.api.as(later.accessToken).get('/users')).status).toBe(200);
    } finally {
      await restarted.close();
    }
  });
});

describe('/users', () => {
  let service: TestApp;
  let operator: Person;
  let member: Person;

  beforeAll(async () => {
    service = await startTestApp();
    operator = await registerPerson(service, 'operator@example.com');
    member = await registerPerson(service, 'Member@example.com');
  });

  afterAll(() => service.close());

  const patch = (id: string, body: unknown) => operator.api.patch(`/users/${id}`, body);

  it('lists all accounts, newest first, with nothing secret', async () => {
    const { status, headers, body } = await operator.api.get('/users');
    expect(status).toBe(200);
    expect(body.map(({ email }: { email: string }) => email)).toEqual([member.email, operator.email]);
    expect(body[0]).toEqual({
      ...{ id: member.id, email: member.email, name: null, is_active: true, is_admin: false },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    });
    expect(headers.get('link')).toBeNull();
    expect(headers.get('x-total-count')).toBeNull();
  });

  it('lists page by page', async () => {
    const first = await operator.api.get('/users?limit=1&include_total=true');
    expect(first.headers.get('x-total-count')).toBe('2');
    const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await operator.api.get(String(next));
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual([member.id, operator.id]);
    expect(second.headers.get('link')).toBeNull();
    expect((await operator.api.get('/users?limit=101')).status).toBe(422);
    expect((await operator.api.get('/users?skip=-1')).status).toBe(422);
  });

  it('is for operators only', async () => {
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

  it('knows nobody else', async () => {
    const unknown = await patch('01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d', { is_admin: true });
    expect([unknown.status, unknown.body.message]).toEqual([404, 'User not found']);
    expect((await patch('not-a-uuid', {})).status).toBe(422);
  });

  it('changes what is named and keeps the rest', async () => {
    const person = await registerPerson(service, 'changing@example.com');
    const promoted = await patch(person.id, { is_admin: true });
    expect([promoted.status, promoted.body.is_admin, promoted.body.is_active]).toEqual([200, true, true]);
    expect((await person.api.get('/users')).status).toBe(200);
    const demoted = await patch(person.id, { is_admin: false });
    expect([demoted.body.is_admin, demoted.body.is_active]).toEqual([false, true]);
    expect((await person.api.get('/users')).status).toBe(403);
    expect((await patch(person.id, {})).body).toEqual({ ...demoted.body, updated_at: expect.any(String) });
  });

  it('keeps the last active operator', async () => {
    for (const change of [{ is_admin: false }, { is_active: false }, { is_active: false, is_admin: true }]) {
      const reply = await patch(operator.id, change);
      expect([reply.status, reply.body.message]).toEqual([
        409,
        'The last active operator can not be removed',
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
      const survivor = replies[0]?.status === 200 ? operator : rival;
      if (survivor === rival) {
        await rival.api.patch(`/users/${operator.id}`, { is_active: true });
        await operator.api.patch(`/users/${rival.id}`, { is_admin: false });
      }
    }
  });

  it('locks a deactivated account out: here at once, on another instance within a second', async () => {
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

      await patch(person.id, { is_active: true });
      expect((await here.get('/auth/me')).status).toBe(200);
      await withinASecond(async () => (await there.get('/auth/me')).status === 200);
    } finally {
      await other.close();
    }
  });
});
