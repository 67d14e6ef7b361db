import { jest } from '@jest/globals';
import bcrypt from 'bcrypt';

import { Database } from '../src/database/database.js';
import { poolOf } from '../src/database/sql.js';
import { GOOD_PASSWORD } from './builders/people.js';
import { type ApiReply } from './harness/api-client.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const settings = {
  RATE_LIMIT_LOGIN_PER_ACCOUNT: '4',
  RATE_LIMIT_LOGIN_PER_ACCOUNT_EVERYWHERE: '8',
  RATE_LIMIT_LOGIN_PER_ADDRESS: '10',
  RATE_LIMIT_REGISTER_PER_ACCOUNT: '3',
  RATE_LIMIT_REGISTER_PER_ADDRESS: '6',
  RATE_LIMIT_REFRESH_PER_ACCOUNT: '2',
  RATE_LIMIT_REFRESH_PER_ADDRESS: '5',
  // The tests use many addresses, like requests through a trusted proxy.
  TRUST_PROXY: '1',
};

let one: TestApp;
let two: TestApp;
let addresses = 0;

/** An address without earlier requests. */
const somewhere = () => `192.0.2.${++addresses}`;

/** Sends the same requests to the two instances alternately. */
async function byTurns(count: number, send: (service: TestApp, index: number) => Promise<ApiReply<any>>) {
  const replies: ApiReply<any>[] = [];
  for (let index = 0; index < count; index++) replies.push(await send(index % 2 ? two : one, index));
  return replies;
}

function post(service: TestApp, path: string, body: unknown, from: string) {
  return service.api.post(path, body, { headers: { 'x-forwarded-for': from } });
}

const statuses = (replies: ApiReply<any>[]) => replies.map(({ status }) => status);

beforeAll(async () => {
  one = await startTestApp({ settings });
  two = await startTestApp({ settings, database: one.database });
});

afterAll(async () => {
  await two.close();
  await one.close();
});

const login = (service: TestApp, email: string, password: string, from: string) =>
  post(service, '/auth/login', { email, password }, from);

it('limits wrong passwords for an account from one address in any case, and lets its owner in from another address', async () => {
  await post(one, '/auth/register', { email: 'target@example.com', password: GOOD_PASSWORD }, somewhere());
  const from = somewhere();
  const replies = await byTurns(6, (service, index) =>
    login(service, index % 2 ? 'Target@example.com' : ' target@EXAMPLE.com', 'wrong', from),
  );
  expect(statuses(replies)).toEqual([401, 401, 401, 401, 429, 429]);
  expect(replies[5]?.body.message).toBe('Too many wrong passwords for this account from this address');
  expect((await login(one, 'other@example.com', 'wrong', from)).status).toBe(401);
  expect((await login(two, 'target@example.com', GOOD_PASSWORD, somewhere())).status).toBe(200);
});

it('does not count right passwords', async () => {
  const email = 'busy@example.com';
  const from = somewhere();
  await post(one, '/auth/register', { email, password: GOOD_PASSWORD }, somewhere());
  const replies = await byTurns(9, (service) => login(service, email, GOOD_PASSWORD, from));
  expect(statuses(replies)).toEqual(Array(9).fill(200));
});

it('counts each of several wrong passwords that are tried at the same time', async () => {
  const from = somewhere();
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => login(index % 2 ? two : one, 'raced@example.com', 'wrong', from)),
  );
  expect(statuses(replies).sort()).toEqual([401, 401, 401, 401, 429, 429, 429, 429]);
});

it('limits wrong passwords for an account from all addresses, except those of its open sessions', async () => {
  const email = 'besieged@example.com';
  const home = somewhere();
  await post(one, '/auth/register', { email, password: GOOD_PASSWORD }, home);
  const guesses = await byTurns(10, (service) => login(service, email, 'wrong', somewhere()));
  expect(statuses(guesses)).toEqual([...Array(8).fill(401), 429, 429]);
  expect(guesses[9]?.body.message).toBe('Too many wrong passwords for this account');
  expect((await login(one, email, GOOD_PASSWORD, somewhere())).status).toBe(429);
  expect((await login(one, email, GOOD_PASSWORD, home)).status).toBe(200);
});

it('counts wrong current passwords with the wrong passwords of logins', async () => {
  const email = 'changing@example.com';
  const from = somewhere();
  const { body } = await post(one, '/auth/register', { email, password: GOOD_PASSWORD }, from);
  const change = () =>
    one.api
      .as(body.access_token)
      .post(
        '/auth/password',
        { current_password: 'wrong', new_password: 'Another-Horse-8' },
        { headers: { 'x-forwarded-for': from } },
      );
  const replies = [];
  for (let index = 0; index < 5; index++) replies.push(await change());
  expect(statuses(replies)).toEqual([400, 400, 400, 400, 429]);
});

it('limits logins from an address over all instances, and returns the remaining count', async () => {
  const from = somewhere();
  const replies = await byTurns(12, (service, index) =>
    post(service, '/auth/login', { email: `person-${index}@example.com`, password: 'wrong' }, from),
  );
  expect(statuses(replies)).toEqual([...Array(10).fill(401), 429, 429]);

  const [first, last] = [replies[0], replies[11]];
  expect(last?.body).toMatchObject({
    statusCode: 429,
    error: 'Too Many Requests',
    message: 'Too many requests',
  });
  const seconds = Number(last?.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(last?.headers.get('ratelimit-reset')).toBe(String(seconds));
  expect(last?.headers.get('ratelimit-limit')).toBe('10');
  expect(last?.headers.get('ratelimit-remaining')).toBe('0');
  expect(first?.headers.get('ratelimit-limit')).toBe('10');
  expect(first?.headers.get('ratelimit-remaining')).toBe('9');
});

it('limits registrations from an address and of an account, malformed ones included', async () => {
  const from = somewhere();
  const replies = await byTurns(7, (service, index) =>
    post(
      service,
      '/auth/register',
      index % 2 ? {} : { email: `new-${index}@example.com`, password: GOOD_PASSWORD },
      from,
    ),
  );
  expect(statuses(replies)).toEqual([201, 422, 201, 422, 201, 422, 429]);
  const same = await byTurns(4, (service) =>
    post(service, '/auth/register', { email: 'same@example.com', password: GOOD_PASSWORD }, somewhere()),
  );
  expect(statuses(same)).toEqual([201, 400, 400, 429]);
});

it('limits refreshes from an address, and of the account when the token is genuine', async () => {
  const tokens = await post(
    one,
    '/auth/register',
    { email: 'fresh@example.com', password: GOOD_PASSWORD },
    somewhere(),
  );
  const { refresh_token } = tokens.body;
  const replies = await byTurns(3, (service) =>
    post(service, '/auth/refresh', { refresh_token }, somewhere()),
  );
  expect(statuses(replies)).toEqual([200, 200, 429]);
  const from = somewhere();
  const forged = await byTurns(6, (service) =>
    post(service, '/auth/refresh', { refresh_token: 'forged' }, from),
  );
  expect(statuses(forged)).toEqual([401, 401, 401, 401, 401, 429]);
});

it('counts the addresses of one IPv6 network as one', async () => {
  const replies = await byTurns(12, (service, index) =>
    post(
      service,
      '/auth/login',
      { email: `six-${index}@example.com`, password: 'x' },
      `2001:db8:1:2::${index + 1}`,
    ),
  );
  expect(statuses(replies)).toEqual([...Array(10).fill(401), 429, 429]);
});

it('allows requests again when the minute is over', async () => {
  const email = 'patient@example.com';
  const from = somewhere();
  for (let index = 0; index < 3; index++) await login(two, email, 'wrong', from);
  await one.database.query('UPDATE rate_limits SET expire = 0');
  for (let index = 0; index < 4; index++) expect((await login(two, email, 'wrong', from)).status).toBe(401);
});

it('stores no client address in clear text', async () => {
  const rows = await one.database.query<{ key: string }>(
    "SELECT key FROM rate_limits WHERE key LIKE '%:account:%'",
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { key } of rows) expect(key).not.toContain('@');
});

it('ignores X-Forwarded-For without a trusted proxy', async () => {
  const direct = await startTestApp({
    database: one.database,
    settings: { ...settings, TRUST_PROXY: 'false' },
  });
  try {
    const replies: number[] = [];
    for (let index = 0; index < 11; index++) {
      const body = { email: `direct-${index}@example.com`, password: 'wrong' };
      replies.push((await post(direct, '/auth/login', body, somewhere())).status);
    }
    expect(replies).toEqual([...Array(10).fill(401), 429]);
  } finally {
    await direct.close();
  }
});

it('refuses requests while it can not count them', async () => {
  const pool = poolOf(one.app.get(Database).people.requireDataSource());
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const refuse: () => never = () => {
    throw away;
  };
  const query = jest.spyOn(pool, 'query').mockImplementation(refuse);
  const compare = jest.spyOn(bcrypt, 'compare');
  try {
    const reply = await post(one, '/auth/login', { email: 'a@example.com', password: 'x' }, somewhere());
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).not.toBeNull();
    expect(compare).not.toHaveBeenCalled();
  } finally {
    compare.mockRestore();
    query.mockRestore();
  }
});
