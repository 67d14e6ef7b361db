import { jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { Passwords } from '../src/auth/passwords.js';
import { GOOD_PASSWORD } from './builders/people.js';
import { type ApiReply } from './harness/api-client.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let service: TestApp;
let people = 0;

/** A new email address. */
const someone = () => `person.${++people}@example.com`;

async function register(email = someone(), password = GOOD_PASSWORD) {
  const { status, body } = await service.api.post('/auth/register', { email, password });
  expect(status).toBe(201);
  return { email, password, tokens: body as { access_token: string; refresh_token: string } };
}

function expectRefusal(reply: ApiReply<any>, status: number, message: string | string[]): void {
  expect(reply.status).toBe(status);
  expect(reply.body).toMatchObject({
    statusCode: status,
    message,
    request_id: reply.headers.get('x-request-id'),
  });
}

beforeAll(async () => {
  service = await startTestApp();
});

afterAll(() => service.close());

describe('POST /auth/register', () => {
  it('creates an account and returns its tokens', async () => {
    const email = someone();
    const reply = await service.api.post('/auth/register', {
      email: `  ${email} `,
      password: GOOD_PASSWORD,
      name: ' Ada ',
    });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'bearer',
      expires_in: 1800,
    });
    const me = await service.api.as(reply.body.access_token).get('/auth/me');
    expect(me.body).toMatchObject({ email, name: 'Ada', is_active: true });
  });

  it('stores a bcrypt hash of the configured cost, and the password nowhere', async () => {
    const { email } = await register();
    const [row] = await service.database.query<{ row: string; password_hash: string }>(
      'SELECT users::text AS row, password_hash FROM users WHERE email = $1',
      [email],
    );
    expect(row?.password_hash).toMatch(/^\$2b\$04\$/);
    expect(row?.row).not.toContain(GOOD_PASSWORD);
  });

  it('refuses an email in use, in any case', async () => {
    const { email } = await register();
    for (const taken of [email, email.toUpperCase(), email.toLowerCase(), ` ${email}`]) {
      const reply = await service.api.post('/auth/register', { email: taken, password: GOOD_PASSWORD });
      expectRefusal(reply, 400, 'Email already registered');
    }
  });

  it('creates one account for racing registrations of one email', async () => {
    const email = someone();
    const spellings = Array.from({ length: 10 }, (_, index) => (index % 2 ? email.toUpperCase() : email));
    const replies = await Promise.all(
      spellings.map((spelling) =>
        service.api.post('/auth/register', { email: spelling, password: GOOD_PASSWORD }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)]);
    const rows = await service.database.query('SELECT 1 FROM users WHERE lower(email) = lower($1)', [email]);
    expect(rows).toHaveLength(1);
  });

  it.each([
    [['8 characters', 'uppercase', 'lowercase', 'number', 'special'], ''],
    [['8 characters', 'uppercase', 'number', 'special'], 'abc'],
    [['uppercase', 'number', 'special'], 'abcdefgh'],
    [['lowercase', 'special'], 'ABCDEFG1'],
    [['72 bytes'], `Aa1!${'x'.repeat(69)}`],
    [['72 bytes'], `Aa1!${'é'.repeat(35)}`],
    [['72 bytes', 'uppercase', 'number', 'special'], 'a'.repeat(100)],
  ])('names every rule that the password breaks: %j', async (broken, password) => {
    const reply = await service.api.post('/auth/register', { email: someone(), password });
    expect(reply.status).toBe(400);
    const words = ['8 characters', '72 bytes', 'uppercase', 'lowercase', 'number', 'special'];
    expect(words.filter((word) => reply.body.message.includes(word))).toEqual(
      words.filter((word) => broken.includes(word)),
    );
  });

  it.each([
    ['Password1!', 'most common'],
    ['qWERTY123456!!', 'most common'],
    ['Dragon-2026', 'most common'],
    ['My-Ada.Lovelace-7', 'name in the email address'],
    ['password', 'most common'],
  ])('refuses %s with a reason', async (password, reason) => {
    const email = 'Ada.Lovelace@example.com';
    const reply = await service.api.post('/auth/register', { email, password });
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('stores the email in its canonical form', async () => {
    const { email } = await register('ＯNE.Form@Example.COM');
    const rows = await service.database.query("SELECT email FROM users WHERE email LIKE '%one.form%'");
    expect(rows).toEqual([{ email: 'one.form@example.com' }]);
    const login = await service.api.post('/auth/login', { email, password: GOOD_PASSWORD });
    expect(login.status).toBe(200);
    // İ differs from i: another account.
    await register('one.form\u0130@example.com');
    await register('one.formi@example.com');
  });

  it('accepts a password of exactly 72 bytes', async () => {
    await register(someone(), `Aa1!${'x'.repeat(68)}`);
  });

  it.each([
    ['email must be an email', { email: undefined }],
    ['email must be an email', { email: 'nobody' }],
    ['email must be an email', { email: 1 }],
    ['email must be an email', { email: `a@${'b.'.repeat(150)}example.com` }],
    ['password must be a string', { password: undefined }],
    ['password must be a string', { password: 12345678 }],
    ['name must be a string', { name: 7 }],
    ['name must be shorter', { name: 'n'.repeat(201) }],
    ['property is_admin should not exist', { is_admin: true }],
  ])('refuses the malformed body: %s', async (complaint, change) => {
    const reply = await service.api.post('/auth/register', {
      email: someone(),
      password: GOOD_PASSWORD,
      ...change,
    });
    expect(reply.status).toBe(422);
    expect(reply.body.message).toEqual(expect.any(Array));
    expect(reply.body.detail).toContain(complaint);
  });

  it('is closed by ALLOW_REGISTRATION=false, which leaves login open', async () => {
    const { email, password } = await register();
    const closed = await startTestApp({
      database: service.database,
      settings: { ALLOW_REGISTRATION: 'false' },
    });
    try {
      const reply = await closed.api.post('/auth/register', { email: someone(), password: GOOD_PASSWORD });
      expectRefusal(reply, 403, 'Registration is closed');
      expect((await closed.api.post('/auth/login', { email, password })).status).toBe(200);
    } finally {
      await closed.close();
    }
  });
});

it('A setup token is logged when registration is closed from the start, also on the embedded database', async () => {
  const closed = await startTestApp({
    settings: { DATABASE_URL: '', ALLOW_REGISTRATION: 'false', SETUP_TOKEN: '' },
  });
  try {
    expect((await closed.api.get('/auth/methods')).body).toMatchObject({ creates_operator: false });
    await until(() => /"setup_token":"[\w-]{43}"/.test(closed.log()));
    const reply = await closed.api.post('/auth/register', { email: someone(), password: GOOD_PASSWORD });
    expectRefusal(reply, 403, 'Registration is closed');
  } finally {
    await closed.close();
  }
});

describe('POST /auth/register with an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'registration-1' };

  it('replays the same tokens and stores none of them in clear text', async () => {
    const body = { email: someone(), password: GOOD_PASSWORD };
    const first = await service.api.post('/auth/register', body, { headers });
    const second = await service.api.post('/auth/register', body, { headers });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');

    const kept = await service.database.query<{ sealed_reply: Buffer; row: string }>(
      'SELECT sealed_reply, record::text AS row FROM idempotency_records AS record',
    );
    expect(kept).toHaveLength(1);
    for (const secret of [first.body.access_token, first.body.refresh_token, 'access_token', GOOD_PASSWORD]) {
      expect(kept[0]?.sealed_reply.includes(secret)).toBe(false);
      expect(kept[0]?.row).not.toContain(secret);
    }
  });

  it('refuses another body under the same key, and stores nothing of a refused request', async () => {
    const body = { email: someone(), password: GOOD_PASSWORD };
    const used = { headers: { 'idempotency-key': 'registration-3' } };
    expect((await service.api.post('/auth/register', body, used)).status).toBe(201);
    expect((await service.api.post('/auth/register', { ...body, name: 'Ada' }, used)).status).toBe(422);
    body.email = someone();
    const other = { headers: { 'idempotency-key': 'registration-2' } };
    expect((await service.api.post('/auth/register', { ...body, password: 'weak' }, other)).status).toBe(400);
    expect((await service.api.post('/auth/register', body, other)).status).toBe(201);
  });
});

it('A registration holds no database connection while its password is hashed', async () => {
  const small = await startTestApp({ database: service.database, settings: { DATABASE_POOL_SIZE: '4' } });
  const { tokens } = await register();
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const hash = bcrypt.hash.bind(bcrypt);
  const slow = jest.spyOn(bcrypt, 'hash').mockImplementation((async (text: string, cost: number) => {
    await gate;
    return hash(text, cost);
  }) as never);
  const asked = jest.spyOn(small.app.get(Passwords), 'hashNew');
  try {
    const registrations = Array.from({ length: 6 }, (_, index) =>
      small.api.post(
        '/auth/register',
        { email: someone(), password: GOOD_PASSWORD },
        { headers: { 'idempotency-key': `slow-${index}` } },
      ),
    );
    // More than there are connections; two run at a time.
    await until(() => asked.mock.calls.length === 6);
    expect(slow).toHaveBeenCalledTimes(2);
    expect((await small.api.as(tokens.access_token).get('/auth/me')).status).toBe(200);
    letGo();
    for (const { status } of await Promise.all(registrations)) expect(status).toBe(201);
    expect(slow).toHaveBeenCalledTimes(6);
  } finally {
    letGo();
    slow.mockRestore();
    await small.close();
  }
});
