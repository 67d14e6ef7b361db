import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { type ApiReply } from './harness/api-client.js';
import { type ChildService, startChildService, urlOf } from './harness/child-service.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const SECRET = 'the secret of these tests, of more than 32 bytes';
const OLD_SECRET = 'the secret before it, also of more than 32 bytes';

let service: TestApp;
let operator: Person;
let person: Person;

beforeAll(async () => {
  service = await startTestApp({ settings: { JWT_SECRET: SECRET, JWT_SECRET_PREVIOUS: OLD_SECRET } });
  operator = await registerOperator(service);
  person = await registerPerson(service);
});

afterAll(() => service.close());

/** Another instance, in a process of its own: Passport uses the keys of one application for all in a process. */
async function startInstance(settings: Record<string, string>): Promise<ChildService> {
  const instance = await startChildService({ ...settings, DATABASE_URL: urlOf(service.database.target) });
  await until(async () => (await instance.api.get('/ready')).status === 200);
  return instance;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const partOf = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString()) as Record<string, unknown>;

/** A real token with parts of it changed, signed with whatever secret. */
function forge(token: string, changes: { header?: object; claims?: object; secret?: string }): string {
  const header = base64url({ ...partOf(token, 0), ...changes.header });
  const body = `${header}.${base64url({ ...partOf(token, 1), ...changes.claims })}`;
  const hash = String(partOf(body, 0).alg).replace('HS', 'sha');
  return `${body}.${createHmac(hash, changes.secret ?? SECRET)
    .update(body)
    .digest('base64url')}`;
}

function expectUnauthenticated(reply: ApiReply<any>, message = 'Invalid or expired token'): void {
  expect([reply.status, reply.body.message]).toEqual([401, message]);
  expect(reply.headers.get('www-authenticate')).toBe('Bearer');
}

describe('Tokens', () => {
  const me = (token: string) => service.api.as(token).get('/auth/me');
  const refresh = (refresh_token: string) => service.api.post('/auth/refresh', { refresh_token });

  it('contain their user, purpose and expiry', () => {
    expect(partOf(person.accessToken, 0)).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.any(String) });
    for (const [token, own, seconds] of [
      [person.accessToken, { type: 'access', aud: 'agent-control-plane', jti: expect.any(String) }, 1_800],
      [person.refreshToken, { type: 'refresh', aud: 'agent-control-plane/auth/refresh', gen: 1 }, 604_800],
    ] as const) {
      const { iat, exp, ...claims } = partOf(token, 1);
      expect(claims).toEqual({ iss: 'agent-control-plane', sub: person.id, sid: expect.any(String), ...own });
      expect(Number(exp) - Number(iat)).toBe(seconds);
    }
  });

  it('are refused when used as a token of another kind', async () => {
    expectUnauthenticated(await me(person.refreshToken));
    expectUnauthenticated(await refresh(person.accessToken), 'Invalid or expired refresh token');
    expect((await me(person.accessToken)).status).toBe(200);
    expect((await refresh(person.refreshToken)).status).toBe(200);
  });

  it('are accepted when the test forges one with the right claims', async () => {
    expect((await me(forge(person.accessToken, {}))).status).toBe(200);
  });

  it.each([
    ['of an unknown secret', { secret: 'an unknown secret that is of more than 32 bytes' }],
    ['of an unknown key id', { header: { kid: 'unknown' } }],
    ['without a key id', { header: { kid: undefined } }],
    ['of another algorithm', { header: { alg: 'HS512' } }],
    ['that has expired', { claims: { exp: Math.floor(Date.now() / 1_000) - 1 } }],
    ['of another issuer', { claims: { iss: 'https://agents.example.com' } }],
    ['without an issuer', { claims: { iss: undefined } }],
    ['for somebody else', { claims: { aud: 'https://agents.example.com' } }],
    ['for nobody named', { claims: { aud: undefined } }],
    ['of another type', { claims: { type: 'id' } }],
    ['of nobody', { claims: { sub: undefined } }],
    ['of somebody who is no UUID', { claims: { sub: "' OR 1=1" } }],
    ['without a session', { claims: { sid: undefined } }],
    ['of a session that is no UUID', { claims: { sid: '1' } }],
    ['of an unknown session', { claims: { sid: '01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d' } }],
    ['of somebody unknown', { claims: { sub: '01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d' } }],
  ])('are refused when they are %s', async (_, changes) => {
    expectUnauthenticated(await me(forge(person.accessToken, changes)));
    expectUnauthenticated(
      await refresh(forge(person.refreshToken, changes)),
      'Invalid or expired refresh token',
    );
  });

  it('are refused with the algorithm "none", signed or not', async () => {
    const body = `${base64url({ ...partOf(person.accessToken, 0), alg: 'none' })}.${person.accessToken.split('.')[1]}`;
    for (const token of [`${body}.`, `${body}.${person.accessToken.split('.')[2]}`, body]) {
      expectUnauthenticated(await me(token));
    }
  });

  it('are refused when any part is changed', async () => {
    const [header, claims, signature] = person.accessToken.split('.') as [string, string, string];
    for (const token of [
      `${header}.${base64url({ ...partOf(person.accessToken, 1), sub: operator.id })}.${signature}`,
      `${header}.${claims}.${signature.slice(0, -4)}AAAA`,
      `${header}.!!!.${signature}`,
      `${header}.${claims}`,
      'nonsense',
    ]) {
      expectUnauthenticated(await me(token));
    }
  });

  it('of the previous secret are accepted, and new tokens use the current secret', async () => {
    const before = await startInstance({ JWT_SECRET: OLD_SECRET });
    try {
      const old = await registerPerson(before);
      expect((await me(old.accessToken)).status).toBe(200);
      const renewed = await refresh(old.refreshToken);
      expect(partOf(renewed.body.access_token, 0).kid).toBe(partOf(person.accessToken, 0).kid);
      expectUnauthenticated(await before.api.as(person.accessToken).get('/auth/me'));
    } finally {
      await before.end('SIGTERM');
    }
  });
});

describe('Without a JWT_SECRET', () => {
  it('the service creates one secret file, readable by its owner only, when two instances start at once', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'credentials-'));
    const settings = { JWT_SECRET: '', DATA_DIR: dataDir };
    const instances = await Promise.all([startInstance(settings), startInstance(settings)]);
    try {
      const somebody = await registerPerson(instances[0]);
      expect((await instances[1].api.as(somebody.accessToken).get('/auth/me')).status).toBe(200);
      const path = join(dataDir, 'jwt-secret');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect((await readFile(path, 'utf8')).length).toBeGreaterThanOrEqual(32);
    } finally {
      await Promise.all(instances.map((instance) => instance.end('SIGTERM')));
      await rm(dataDir, { recursive: true });
    }
  });
});
