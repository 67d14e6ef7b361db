import { generateKeyPairSync } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { ConcurrentRequests } from '../src/http/concurrent-requests.js';
import { type Behaviour, MisbehavingProvider } from './builders/misbehaving-provider.js';
import { BEGINNING, type BegunSignIn, ENDING, SsoStage, WEB_URL } from './builders/single-sign-on.js';
import { startIdentityProvider } from './harness/identity-provider.mjs';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const JWT_SECRET = 'a secret for tests, of more than thirty-two bytes';

let stage: SsoStage;

beforeAll(async () => {
  stage = await SsoStage.open();
});

beforeEach(() => stage.newcomer());

afterAll(() => stage.close());

/** Another service on the same database, with other settings. */
async function withSettings<T>(
  settings: Readonly<Record<string, string>>,
  work: (other: TestApp) => Promise<T>,
): Promise<T> {
  const other = await startTestApp({
    database: stage.service.database,
    settings: { ...stage.provider.settings, ...settings },
  });
  try {
    return await work(other);
  } finally {
    await other.close();
  }
}

describe('Single sign-on', () => {
  it('creates an account at the first sign-in and finds it by issuer and subject afterwards', async () => {
    const first = await stage.signIn();
    expect(first.status).toBe(200);
    const account = await stage.accountOf(first);
    expect(account).toMatchObject({
      email: stage.provider.person.email,
      name: 'Ada Lovelace',
      is_admin: false,
    });
    stage.provider.person = { ...stage.provider.person, email: 'another@example.com' };
    const second = await stage.accountOf(await stage.signIn());
    expect(second).toEqual(account);
    stage.newcomer();
    expect((await stage.accountOf(await stage.signIn())).id).not.toBe(account.id);
    expect(await stage.actsOn(account.id)).toEqual([
      'user.register success',
      'user.login success',
      'user.login success',
    ]);
  });

  it.each([
    ['Ada\u200B Love\u202Elace\uFEFF', 'Ada Lovelace'],
    ['\u3164\u200B', null],
    ['می\u200Cخواهم', 'می\u200Cخواهم'],
  ])('takes the name %j without the characters that nobody sees', async (name, expected) => {
    stage.provider.person = { ...stage.provider.person, name };
    expect(await stage.accountOf(await stage.signIn())).toMatchObject({ name: expected });
  });

  it('opens a session like any other', async () => {
    const { body } = await stage.signIn();
    const refreshed = await stage.service.api.post('/auth/refresh', { refresh_token: body.refresh_token });
    expect(refreshed.status).toBe(200);
    const api = stage.service.api.as(refreshed.body.access_token);
    const { body: sessions } = await api.get('/auth/sessions');
    expect(sessions).toEqual([expect.objectContaining({ address: '127.0.0.1', current: true })]);
    expect((await api.delete(`/auth/sessions/${sessions[0].id}`)).status).toBe(204);
    expect((await api.get('/auth/me')).status).toBe(401);
  });

  it('redirects browsers to the configured address, with any Host header', async () => {
    const reply = await stage.service.api.post<BegunSignIn>('/auth/sso', BEGINNING, {
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    const asked = new URL(reply.body.authorization_url).searchParams;
    expect(asked.get('redirect_uri')).toBe(`${WEB_URL}/sign-in/sso`);
    expect(asked.get('code_challenge_method')).toBe('S256');
  });

  it('begins at one instance and finishes at another', async () => {
    await stage.signIn();
    const { authorization_url, flow } = await stage.begin();
    const reply = await stage.finish(flow, await stage.atProvider(authorization_url), stage.company);
    expect(reply.status).toBe(200);
    expect((await stage.accountOf(reply)).email).toBe(stage.provider.person.email);
  });

  it('creates one account when a person signs in for the first time in several tabs at once', async () => {
    const replies = await Promise.all([stage.signIn(), stage.signIn(), stage.signIn(), stage.signIn()]);
    const accounts = await Promise.all(replies.map((reply) => stage.accountOf(reply)));
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(1);
  });

  it('is listed by GET /auth/methods, and its routes are closed when it is not configured', async () => {
    expect((await stage.service.api.get('/auth/methods')).body).toEqual({
      password: true,
      registration: true,
      creates_operator: false,
      sso: true,
      groups: false,
    });
    const off = { OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' };
    await withSettings({ ...off, ALLOW_REGISTRATION: 'false' }, async ({ api }) => {
      expect((await api.get('/auth/methods')).body).toEqual({
        password: true,
        registration: false,
        creates_operator: false,
        sso: false,
        groups: false,
      });
      expect((await api.post('/auth/sso', BEGINNING)).status).toBe(403);
    });
  });
});

describe('A forged or failed sign-in', () => {
  it('is refused with the state of another sign-in', async () => {
    const [one, other] = [await stage.begin(), await stage.begin()];
    const reply = await stage.finish(other.flow, await stage.atProvider(one.authorization_url));
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toContain('belongs to another sign-in');
  });

  it('is refused with another nonce in the ID token', async () => {
    const { authorization_url, flow } = await stage.begin();
    const url = new URL(authorization_url);
    url.searchParams.set('nonce', 'of-somebody-else');
    const reply = await stage.finish(flow, await stage.atProvider(url.href));
    expect(reply.status).toBe(502);
    expect(reply.body.detail).toContain('OAUTH_JWT_CLAIM_COMPARISON_FAILED');
  });

  it('is refused with a code of another code verifier', async () => {
    const { authorization_url, flow } = await stage.begin();
    const url = new URL(authorization_url);
    url.searchParams.set('code_challenge', 'x'.repeat(43));
    expect((await stage.finish(flow, await stage.atProvider(url.href))).status).toBe(400);
  });

  it('is refused with a used code', async () => {
    const { authorization_url, flow } = await stage.begin();
    const query = await stage.atProvider(authorization_url);
    expect((await stage.finish(flow, query)).status).toBe(200);
    const again = await stage.finish(flow, query);
    expect(again.status).toBe(400);
    expect(again.body.detail).toContain('finished before');
  });

  it('is refused with the response of another issuer', async () => {
    const { authorization_url, flow } = await stage.begin();
    const query = new URLSearchParams(await stage.atProvider(authorization_url));
    query.set('iss', 'https://evil.example');
    expect((await stage.finish(flow, query.toString())).status).toBe(400);
  });

  it('is refused with a flow token that has expired or is of another kind', async () => {
    const { authorization_url, flow } = await stage.begin();
    const query = await stage.atProvider(authorization_url);
    const jwt = new JwtService({ secret: JWT_SECRET });
    const { exp, ...claims } = jwt.decode<Record<string, unknown> & { exp: number }>(flow);
    const { kid } = JSON.parse(Buffer.from(flow.split('.')[0]!, 'base64url').toString());
    const signed = (payload: object) => jwt.sign(payload, { keyid: kid });
    expect((await stage.finish(signed({ ...claims, exp: exp - 601 }), query)).status).toBe(400);
    expect((await stage.finish(signed({ ...claims, exp, type: 'access' }), query)).status).toBe(400);
    expect((await stage.finish(stage.operator.accessToken, query)).status).toBe(400);
    expect((await stage.service.api.as(flow).get('/auth/me')).status).toBe(401);
    expect((await stage.finish(signed({ ...claims, exp }), query)).status).toBe(200);
  });

  it('is refused when the provider refuses it', async () => {
    stage.provider.refusal = 'access_denied';
    const reply = await stage.signIn();
    expect(reply.status).toBe(403);
    expect(reply.body.detail).toBe('The identity provider refused the sign-in');
  });

  it('is refused when the provider names another issuer', async () => {
    const OIDC_ISSUER = stage.provider.issuer.replace('127.0.0.1', 'localhost');
    await withSettings({ OIDC_ISSUER }, async ({ api }) => {
      expect((await api.post('/auth/sso', BEGINNING)).status).toBe(502);
    });
  });

  it('returns 503 while the provider is unreachable', async () => {
    const away = await startIdentityProvider(WEB_URL);
    await away.close();
    await withSettings({ OIDC_ISSUER: away.issuer }, async ({ api }) => {
      const reply = await api.post('/auth/sso', BEGINNING);
      expect(reply.status).toBe(503);
      expect(reply.body.detail).toBe('The identity provider does not respond: try again later');
      expect(reply.headers.has('retry-after')).toBe(true);
    });
  });
});

describe('A misbehaving provider', () => {
  let provider: MisbehavingProvider;
  let other: TestApp;

  beforeAll(async () => {
    provider = await MisbehavingProvider.start();
    provider.behaviour = 'with no JSON';
    other = await startTestApp({
      database: stage.service.database,
      settings: { ...stage.provider.settings, OIDC_ISSUER: provider.issuer },
    });
  });

  afterAll(async () => {
    await other.close();
    await provider.close();
  });

  const AWAY = [503, 'The identity provider does not respond: try again later'] as const;
  const answers: readonly (readonly [Behaviour, number, string])[] = [
    ['never', ...AWAY],
    ['slowly', ...AWAY],
    ['with a redirect', 502, "The identity provider's reply is invalid (OAUTH_RESPONSE_IS_NOT_CONFORM)"],
    ['without an end', 502, "The identity provider's reply is longer than 1 MiB"],
    ['with no JSON', 502, "The identity provider's reply is invalid (OAUTH_PARSE_ERROR)"],
  ];

  /** Each of the two takes five seconds, so one is asked at the beginning and the other at the end. */
  const except = (left: Behaviour) => answers.filter(([behaviour]) => behaviour !== left);

  /** Sends a request, and looks around while the provider keeps it waiting. */
  async function expectRefusal(path: string, body: object, status: number, message: string): Promise<void> {
    const reply = other.api.post(path, body);
    if (status === 503) {
      await until(() => provider.waiting > 0);
      expect(other.app.get(ConcurrentRequests).takenOf('open')).toBe(0);
      const inTransactions = await other.database.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
      );
      expect(inTransactions).toHaveLength(0);
    }
    expect(await reply).toMatchObject({ status, body: { detail: message } });
    await until(() => provider.waiting === 0);
  }

  it.each(except('slowly'))(
    'that answers %s lets no sign-in begin, and the service returns %i',
    async (behaviour, status, message) => {
      provider.behaviour = behaviour;
      await expectRefusal('/auth/sso', BEGINNING, status, message);
      expect(provider.paths).not.toContain('/elsewhere');
    },
  );

  it.each(except('never'))(
    'that answers %s lets no sign-in finish, and the service returns %i',
    async (behaviour, status, message) => {
      provider.behaviour = 'well';
      const { flow, authorization_url } = (await other.api.post('/auth/sso', BEGINNING)).body;
      const state = new URL(authorization_url).searchParams.get('state');
      provider.behaviour = behaviour;
      await expectRefusal(
        '/auth/sso/tokens',
        { flow, query: `code=x&state=${state}`, ...ENDING },
        status,
        message,
      );
      expect(provider.paths).not.toContain('/elsewhere');
    },
  );

  it('has its ID token refused when the signature is wrong, and accepted when it is right', async () => {
    provider.behaviour = 'well';
    const { privateKey: foreign } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const finishWith = async (key: string) => {
      const { flow, authorization_url } = (await other.api.post('/auth/sso', BEGINNING)).body;
      const { state, nonce } = Object.fromEntries(new URL(authorization_url).searchParams);
      const claims = { sub: 'forged', nonce, email: 'forged@example.com', email_verified: true };
      provider.idToken = new JwtService().sign(claims, {
        privateKey: key,
        algorithm: 'RS256',
        issuer: provider.issuer,
        audience: stage.provider.settings.OIDC_CLIENT_ID,
        expiresIn: 60,
      });
      return other.api.post('/auth/sso/tokens', { flow, query: `code=x&state=${state}`, ...ENDING });
    };
    const forged = await finishWith(foreign.export({ type: 'pkcs8', format: 'pem' }).toString());
    expect(forged.status).toBe(400);
    expect((await finishWith(provider.key)).status).toBe(200);
  });
});
