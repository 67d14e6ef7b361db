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

async function deactivate(email: string): Promise<void> {
  await service.database.query('UPDATE users SET is_active = false WHERE email = $1', [email]);
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

describe('POST /auth/login', () => {
  it('accepts the email in any case', async () => {
    const { email, password } = await register();
    for (const spelling of [email, email.toUpperCase(), ` ${email.toLowerCase()} `]) {
      const reply = await service.api.post('/auth/login', { email: spelling, password });
      expect(reply.status).toBe(200);
      expect(Object.keys(reply.body)).toEqual(['access_token', 'refresh_token', 'token_type', 'expires_in']);
    }
  });

  it.each([
    ['in another case', GOOD_PASSWORD.toLowerCase()],
    ['that is empty', ''],
    ['with a space behind it', `${GOOD_PASSWORD} `],
    ['of 5,000 characters', 'x'.repeat(5_000)],
  ])('refuses a password %s', async (_, password) => {
    const { email } = await register();
    expectRefusal(
      await service.api.post('/auth/login', { email, password }),
      401,
      'Invalid email or password',
    );
  });

  it('refuses a longer password with the same first 72 bytes', async () => {
    const password = `Aa1!${'x'.repeat(68)}`;
    const { email } = await register(someone(), password);
    const reply = await service.api.post('/auth/login', { email, password: `${password}y` });
    expectRefusal(reply, 401, 'Invalid email or password');
  });

  it('compares one bcrypt hash of the same cost for an unknown email and for a wrong password', async () => {
    const { email } = await register();
    const compare = jest.spyOn(bcrypt, 'compare');
    try {
      const wrong = await service.api.post('/auth/login', { email, password: 'wrong' });
      const unknown = await service.api.post('/auth/login', { email: someone(), password: 'wrong' });
      expectRefusal(unknown, 401, 'Invalid email or password');
      expect({ ...unknown.body, request_id: '' }).toEqual({ ...wrong.body, request_id: '' });
      const hashes = compare.mock.calls.map(([, hash]) => String(hash));
      expect(hashes).toHaveLength(2);
      expect(hashes.map((hash) => [hash.slice(0, 7), hash.length])).toEqual(Array(2).fill(['$2b$04$', 60]));
    } finally {
      compare.mockRestore();
    }
  });

  it('names a deactivated account only when the password is right', async () => {
    const { email, password } = await register();
    await deactivate(email);
    expectRefusal(await service.api.post('/auth/login', { email, password }), 403, 'Account is deactivated');
    const wrong = await service.api.post('/auth/login', { email, password: 'wrong' });
    expectRefusal(wrong, 401, 'Invalid email or password');
  });

  it.each([
    {},
    { email: 'nobody', password: GOOD_PASSWORD },
    { email: 'a@example.com', password: null },
    { email: 'a@example.com', password: GOOD_PASSWORD, remember: true },
  ])('returns 422 for the body %j', async (body) => {
    expect((await service.api.post('/auth/login', body)).status).toBe(422);
  });

  it('limits concurrent password checks, so that the thread pool has room for other work', async () => {
    const { email, password } = await register();
    const compare = bcrypt.compare.bind(bcrypt);
    let running = 0;
    let most = 0;
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const counted = jest.spyOn(bcrypt, 'compare').mockImplementation((async (text: string, hash: string) => {
      most = Math.max(most, ++running);
      await gate;
      return compare(text, hash).finally(() => running--);
    }) as never);
    const asked = jest.spyOn(service.app.get(Passwords), 'matches');
    try {
      const logins = Array.from({ length: 20 }, () => service.api.post('/auth/login', { email, password }));
      // Each guess is being checked or waits for its turn.
      await until(() => asked.mock.calls.length === 20);
      expect(running).toBe(2);
      letGo();
      for (const { status } of await Promise.all(logins)) expect(status).toBe(200);
      expect(counted).toHaveBeenCalledTimes(20);
      expect(most).toBe(2);
    } finally {
      letGo();
      asked.mockRestore();
      counted.mockRestore();
    }
  });
});

describe('POST /auth/refresh', () => {
  it('returns new tokens that work', async () => {
    const { tokens } = await register();
    const reply = await service.api.post('/auth/refresh', { refresh_token: tokens.refresh_token });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ token_type: 'bearer', expires_in: 1800 });
    expect(reply.body.access_token).not.toBe(tokens.access_token);
    expect(reply.body.refresh_token).not.toBe(tokens.refresh_token);
    expect((await service.api.as(reply.body.access_token).get('/auth/me')).status).toBe(200);
    const again = await service.api.post('/auth/refresh', { refresh_token: reply.body.refresh_token });
    expect(again.status).toBe(200);
  });

  it.each(['', 'nonsense', 'a.b.c', 'e30.e30.e30', 'bnVsbA.e30.x'])(
    'refuses the token %j',
    async (refresh_token) => {
      const reply = await service.api.post('/auth/refresh', { refresh_token });
      expectRefusal(reply, 401, 'Invalid or expired refresh token');
    },
  );

  it('refuses the token of a deactivated account', async () => {
    const { email, tokens } = await register();
    await deactivate(email);
    const reply = await service.api.post('/auth/refresh', { refresh_token: tokens.refresh_token });
    expectRefusal(reply, 403, 'Account is deactivated');
  });

  it.each([{}, { refresh_token: 5 }, { refresh_token: 'x', more: 1 }])(
    'returns 422 for the body %j',
    async (body) => {
      expect((await service.api.post('/auth/refresh', body)).status).toBe(422);
    },
  );
});

describe('POST /auth/logout and GET /auth/me', () => {
  it('logout returns 200 and revokes no token', async () => {
    const { tokens } = await register();
    const reply = await service.api.as(tokens.access_token).post('/auth/logout');
    expect([reply.status, reply.body]).toEqual([200, { message: 'Successfully logged out' }]);
    expect((await service.api.as(tokens.access_token).get('/auth/me')).status).toBe(200);
  });

  it('me returns the whole profile and nothing else', async () => {
    const { email, tokens } = await register();
    const { status, body } = await service.api.as(tokens.access_token).get('/auth/me');
    expect(status).toBe(200);
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      ...{
        email,
        name: null,
        is_active: true,
        is_admin: expect.any(Boolean),
        password_reset_at: null,
        has_second_factor: false,
        created_at: moment,
        updated_at: moment,
      },
    });
  });
});
