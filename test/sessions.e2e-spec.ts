import { createHash } from 'node:crypto';
import { SessionsRepository } from '../src/auth/sessions/sessions.repository.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { withinASecond } from './harness/within-a-second.js';
import { jest } from '@jest/globals';

const NEW_PASSWORD = 'Another-Horse-8';

let service: TestApp;
let operator: Person;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  operator = await registerOperator(service);
});

beforeEach(async () => {
  person = await registerPerson(service);
});

afterAll(() => service.close());

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function login(password = GOOD_PASSWORD, userAgent = 'a browser'): Promise<Tokens> {
  const reply = await service.api.post(
    '/auth/login',
    { email: person.email, password },
    { headers: { 'user-agent': userAgent } },
  );
  expect(reply.status).toBe(200);
  return reply.body as Tokens;
}

const refresh = (token: string) => service.api.post('/auth/refresh', { refresh_token: token });
const meStatus = async (token: string) => (await service.api.as(token).get('/auth/me')).status;
const sessionsOf = async (api = person.api) => (await api.get('/auth/sessions')).body;
const query = (statement: string) => service.database.query(statement, [person.id]);

describe('A session', () => {
  it('is listed to its user with its address and browser, and the current one is marked', async () => {
    await login(GOOD_PASSWORD, 'x'.repeat(1_000));
    const [newer, older, ...others] = await sessionsOf();
    expect(others).toEqual([]);
    expect(older).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      address: '127.0.0.1',
      user_agent: expect.any(String),
      current: true,
    });
    expect(newer).toMatchObject({ current: false, user_agent: 'x'.repeat(300) });
  });

  it('is revoked by its id: its tokens are refused at once, and on another instance within a second', async () => {
    const tokens = await login();
    const other = await startTestApp({ database: service.database });
    try {
      const there = other.api.as(tokens.access_token);
      expect([await meStatus(tokens.access_token), (await there.get('/auth/me')).status]).toEqual([200, 200]);
      const { id } = (await sessionsOf()).find(({ current }: { current: boolean }) => !current);
      expect((await person.api.delete(`/auth/sessions/${id}`)).status).toBe(204);
      expect(await meStatus(tokens.access_token)).toBe(401);
      await withinASecond(async () => (await there.get('/auth/me')).status === 401);
      expect((await refresh(tokens.refresh_token)).status).toBe(401);
      expect(await meStatus(person.accessToken)).toBe(200);
      expect((await person.api.delete(`/auth/sessions/${id}`)).status).toBe(404);
    } finally {
      await other.close();
    }
  });

  it('can be revoked by its own user only', async () => {
    const [{ id }] = await sessionsOf();
    expect((await operator.api.delete(`/auth/sessions/${id}`)).status).toBe(404);
    expect(await meStatus(person.accessToken)).toBe(200);
    expect((await person.api.delete(`/auth/sessions/${id}`)).status).toBe(204);
    expect(await meStatus(person.accessToken)).toBe(401);
  });

  it('is the only one left after its user revokes all others', async () => {
    const others = [await login(), await login()];
    expect((await person.api.delete('/auth/sessions')).status).toBe(204);
    for (const { access_token, refresh_token } of others) {
      expect([await meStatus(access_token), (await refresh(refresh_token)).status]).toEqual([401, 401]);
    }
    expect(await sessionsOf()).toHaveLength(1);
    expect((await operator.api.get('/auth/me')).status).toBe(200);
  });

  it('stays valid after a logout, which revokes nothing', async () => {
    expect((await person.api.post('/auth/logout')).status).toBe(200);
    expect(await meStatus(person.accessToken)).toBe(200);
  });

  it('is read from the database once for any number of requests', async () => {
    const { access_token } = await login();
    await meStatus(access_token);
    const find = jest.spyOn(service.app.get(SessionsRepository), 'findRemainingMs');
    try {
      await withinASecond(async () => {
        find.mockClear();
        await Promise.all(Array.from({ length: 5 }, () => meStatus(access_token)));
        return find.mock.calls.length === 0;
      });
    } finally {
      find.mockRestore();
    }
  });

  it('expires after SESSION_MAX_DAYS despite refreshes', async () => {
    await query(`UPDATE sessions SET created_at = now() - interval '29 days' WHERE user_id = $1`);
    const renewed = await refresh(person.refreshToken);
    const [row] = await query(
      `SELECT round(extract(epoch FROM expires_at - now()) / 3600)::int AS hours FROM sessions WHERE user_id = $1`,
    );
    expect(row?.hours).toBe(24);
    await query(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = $1`);
    expect((await refresh(renewed.body.refresh_token)).status).toBe(401);
    expect(await sessionsOf(operator.api)).toHaveLength(1);
  });

  it('is deleted after its expiry, as a one-time link is', async () => {
    await operator.api.post(`/users/${person.id}/password-reset`);
    await login();
    await query(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = $1`);
    await query(`UPDATE password_links SET expires_at = now() - interval '1 second' WHERE user_id = $1`);
    await service.app.get(PeriodicJobs).runOnce('sessionRetention');
    expect(await query('SELECT FROM sessions WHERE user_id = $1')).toEqual([]);
    expect(await query('SELECT FROM password_links WHERE user_id = $1')).toEqual([]);
    expect((await operator.api.get('/auth/me')).status).toBe(200);
  });
});

describe('A refresh token', () => {
  it('is replaced at each use, and its successor continues the same session', async () => {
    let token = person.refreshToken;
    for (let round = 0; round < 3; round++) {
      const reply = await refresh(token);
      expect(reply.status).toBe(200);
      expect(reply.body.refresh_token).not.toBe(token);
      token = reply.body.refresh_token;
      expect(await meStatus(reply.body.access_token)).toBe(200);
    }
    expect(await sessionsOf()).toHaveLength(1);
  });

  it('returns the same successor again until that is used, because the reply may have been lost', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => refresh(person.refreshToken)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => body.refresh_token)).size).toBe(1);
    expect((await refresh(replies[0]!.body.refresh_token)).status).toBe(200);
  });

  it('ends the session when it is used after its successor was used', async () => {
    const first = await refresh(person.refreshToken);
    const second = await refresh(first.body.refresh_token);
    expect((await refresh(person.refreshToken)).status).toBe(401);
    expect((await refresh(second.body.refresh_token)).status).toBe(401);
    expect(await meStatus(second.body.access_token)).toBe(401);
  });

  it('ends the session when it is used after its grace period', async () => {
    const first = await refresh(person.refreshToken);
    await query(`UPDATE sessions SET last_used_at = now() - interval '61 seconds' WHERE user_id = $1`);
    expect((await refresh(person.refreshToken)).status).toBe(401);
    expect(await meStatus(first.body.access_token)).toBe(401);
  });

  it('is not stored in clear text', async () => {
    const { refresh_token } = (await refresh(person.refreshToken)).body;
    const [row] = await query('SELECT sessions::text AS row FROM sessions WHERE user_id = $1');
    for (const part of [refresh_token, String(refresh_token).split('.')[2]])
      expect(row?.row).not.toContain(part);
  });
});

describe('POST /auth/password', () => {
  const change = (current_password: string, new_password: string, api = person.api) =>
    api.post('/auth/password', { current_password, new_password });

  it('replaces the password, ends all other sessions, and returns new tokens of this session', async () => {
    const other = await login();
    const [{ id }] = (await sessionsOf()).filter(({ current }: { current: boolean }) => current);
    const reply = await change(GOOD_PASSWORD, NEW_PASSWORD);
    expect(reply.status).toBe(200);
    expect(await meStatus(other.access_token)).toBe(401);
    expect((await refresh(other.refresh_token)).status).toBe(401);
    expect(await sessionsOf(service.api.as(reply.body.access_token))).toMatchObject([{ id, current: true }]);
    expect((await refresh(reply.body.refresh_token)).status).toBe(200);
    const old = await service.api.post('/auth/login', { email: person.email, password: GOOD_PASSWORD });
    expect(old.status).toBe(401);
    await login(NEW_PASSWORD);
  });

  it('invalidates the previous refresh tokens at once', async () => {
    await change(GOOD_PASSWORD, NEW_PASSWORD);
    expect((await refresh(person.refreshToken)).status).toBe(401);
  });

  it('refuses a wrong current password and an unacceptable new one', async () => {
    const wrong = await change('wrong', NEW_PASSWORD);
    expect([wrong.status, wrong.body.message]).toEqual([400, 'The current password is wrong']);
    const weak = await change(GOOD_PASSWORD, 'Password1!');
    expect([weak.status, weak.body.message]).toEqual([400, expect.stringContaining('most common')]);
    await login();
  });

  it('succeeds for one of two concurrent changes', async () => {
    const replies = await Promise.all([
      change(GOOD_PASSWORD, NEW_PASSWORD),
      change(GOOD_PASSWORD, `${NEW_PASSWORD}9`),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('A one-time link', () => {
  const reset = (token: string, new_password = NEW_PASSWORD) =>
    service.api.post('/auth/password-reset', { token, new_password });
  const expectWorthless = async (token: string) => {
    const reply = await reset(token);
    expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining('The link is invalid')]);
  };

  it('invites a person, who sets a password with it once', async () => {
    const invited = await operator.api.post('/users', { email: 'Invited@Example.com', name: 'Ida' });
    expect(invited.status).toBe(201);
    const { user, token, path, expires_at } = invited.body;
    expect(user).toMatchObject({
      email: 'invited@example.com',
      name: 'Ida',
      is_active: true,
      is_admin: false,
    });
    expect(path).toBe(`/set-password#${token}`);
    const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(71);
    expect(hours).toBeLessThan(73);
    const body = { email: 'invited@example.com', password: NEW_PASSWORD };
    expect((await service.api.post('/auth/login', body)).status).toBe(401);
    const weak = await reset(token, 'Invited-Horse-7');
    expect([weak.status, weak.body.message]).toEqual([400, expect.stringContaining('the name in the')]);
    const done = await reset(token);
    expect([done.status, done.body]).toEqual([200, { message: 'Password set' }]);
    await expectWorthless(token);
    expect((await service.api.post('/auth/login', body)).status).toBe(200);
    const taken = await operator.api.post('/users', { email: 'invited@example.com' });
    expect([taken.status, taken.body.message]).toEqual([400, 'Email already registered']);
  });

  it('resets a password and ends all sessions, and is stored as a hash only', async () => {
    const first = await operator.api.post(`/users/${person.id}/password-reset`);
    const second = await operator.api.post(`/users/${person.id}/password-reset`);
    expect([first.status, second.status]).toEqual([200, 200]);
    const [row] = await query(
      `SELECT password_links::text AS row, encode(token_hash, 'hex') AS hash FROM password_links WHERE user_id = $1`,
    );
    expect(row?.row).not.toContain(second.body.token);
    expect(row?.hash).toBe(createHash('sha256').update(second.body.token).digest('hex'));
    await expectWorthless(first.body.token);
    const { access_token: meanwhile } = await login();
    expect(await meStatus(meanwhile)).toBe(200);
    const replies = await Promise.all([reset(second.body.token), reset(second.body.token)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await meStatus(meanwhile)).toBe(401);
    await login(NEW_PASSWORD);
  });

  it('is invalid after 72 hours, after a password change and after a deactivation', async () => {
    const issue = async () => (await operator.api.post(`/users/${person.id}/password-reset`)).body.token;
    const late = await issue();
    await query(`UPDATE password_links SET expires_at = now() WHERE user_id = $1`);
    await expectWorthless(late);
    const overtaken = await issue();
    const change = { current_password: GOOD_PASSWORD, new_password: NEW_PASSWORD };
    const again = service.api.as((await login()).access_token);
    expect((await again.post('/auth/password', change)).status).toBe(200);
    await expectWorthless(overtaken);
    const ofLeaver = await issue();
    await operator.api.patch(`/users/${person.id}`, { is_active: false });
    await expectWorthless(ofLeaver);
    await expectWorthless('nonsense');
  });

  it('is created by operators only, and for existing accounts only', async () => {
    expect((await person.api.post('/users', { email: 'x@example.com' })).status).toBe(403);
    expect((await person.api.post(`/users/${person.id}/password-reset`)).status).toBe(403);
    const unknown = await operator.api.post('/users/01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d/password-reset');
    expect([unknown.status, unknown.body.message]).toEqual([404, 'User not found']);
  });
});
