import { freePort } from '../bench/fleet/free-port.js';
import { expectError } from './harness/error-shape.js';
import {
  startIdentityProvider,
  type TestIdentityProvider,
  visitProvider,
} from './harness/identity-provider.mjs';
import { asApiReply, startTestWeb, type WebClient } from './harness/test-web.js';
import type { Verdict } from './harness/service-relay.js';
import {
  clearsSession,
  cookieOf,
  dropAccess,
  newCredentials,
  spoilAccess,
  WebStage,
} from './harness/web-stage.js';

let stage: WebStage;
let provider: TestIdentityProvider;

beforeAll(async () => {
  const port = await freePort();
  provider = await startIdentityProvider(`http://127.0.0.1:${port}`);
  stage = await WebStage.open({ WEB_PORT: String(port) }, provider.settings);
});

beforeEach(() => stage.relay.reset());

afterAll(async () => {
  await stage.close();
  await provider.close();
});

/** The values of a browser's cookies that are tokens. */
const tokensOf = ({ jar }: WebClient) => [...jar.values()].filter((value) => value.includes('.'));

describe('Registration, login and logout', () => {
  it('return the user, and put the tokens into cookies only', async () => {
    const { browser, credentials, reply } = await stage.signedUp();
    const user = { email: credentials.email, is_active: true };
    expect(reply.body).toMatchObject(user);
    const again = stage.web.browser();
    const login = await again.post('/api/auth/login', credentials);
    expect([login.status, login.body]).toEqual([200, expect.objectContaining(user)]);
    const me = await browser.get('/api/auth/me');
    expect([me.status, me.body]).toEqual([200, login.body]);
    for (const { text, headers } of [reply, login, me]) {
      const others = { ...headers, 'set-cookie': [] };
      for (const token of [...tokensOf(browser), ...tokensOf(again)]) {
        expect(text + JSON.stringify(others)).not.toContain(token);
      }
      expect(text).not.toMatch(/token/);
    }
  });

  it('set HttpOnly and SameSite on the cookies', async () => {
    const { reply } = await stage.signedUp();
    const port = new URL(stage.web.url).port;
    expect(reply.cookies).toEqual([
      {
        name: `svc_access_${port}`,
        value: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        maxAge: 1_800,
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
      },
      {
        name: `svc_refresh_${port}`,
        value: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        maxAge: 604_800,
        path: '/api',
        httpOnly: true,
        sameSite: 'lax',
      },
      {
        name: `svc_signed_in_${port}`,
        value: 'true',
        maxAge: 604_800,
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
      },
    ]);
  });

  it('set Secure and a __Host- or __Secure- prefix on the cookies outside localhost', async () => {
    const outside = await startTestWeb({
      SERVICE_URL: stage.app.url,
      WEB_PUBLIC_URL: 'https://control.example.com',
    });
    try {
      const headers = { origin: 'https://control.example.com' };
      const body = newCredentials();
      const reply = await outside.browser().post('/api/auth/register', body, headers);
      expect(reply.cookies.map(({ name, secure, path }) => ({ name, secure, path }))).toEqual([
        { name: '__Host-svc_access', secure: true, path: '/' },
        { name: '__Secure-svc_refresh', secure: true, path: '/api' },
        { name: '__Host-svc_signed_in', secure: true, path: '/' },
      ]);
    } finally {
      await outside.close();
    }
  });

  it('accept X-Forwarded-Proto from a trusted proxy', async () => {
    const behind = await startTestWeb({
      SERVICE_URL: stage.app.url,
      WEB_HOST: '0.0.0.0',
      TRUST_PROXY: 'loopback',
    });
    try {
      const headers = {
        host: 'c.example.com',
        origin: 'https://c.example.com',
        'x-forwarded-proto': 'https',
      };
      const body = newCredentials();
      const reply = await behind.browser().post('/api/auth/register', body, headers);
      expect([reply.status, reply.cookies.every(({ secure }) => secure)]).toEqual([201, true]);
      const downgraded = { ...headers, origin: 'http://c.example.com' };
      expect((await behind.browser().post('/api/auth/login', body, downgraded)).status).toBe(403);
    } finally {
      await behind.close();
    }
  });

  it('are refused when a browser would not store the cookies', async () => {
    const open = await startTestWeb({ SERVICE_URL: stage.relay.url, WEB_HOST: '0.0.0.0' });
    try {
      const headers = { host: '192.0.2.1:3000', origin: 'http://192.0.2.1:3000' };
      const reply = await open.browser().post('/api/auth/login', { email: 'a@b.co', password: 'x' }, headers);
      expectError(asApiReply(reply), 403, /requires https or http:\/\/localhost/);
      expect(stage.relay.seen).toEqual([]);
    } finally {
      await open.close();
    }
  });

  it('pass on a refusal of the service', async () => {
    const { credentials } = await stage.signedUp();
    const browser = stage.web.browser();
    const wrong = await browser.post('/api/auth/login', { ...credentials, password: 'Wrong-horse-7' });
    expectError(asApiReply(wrong), 401, 'Invalid email or password');
    const taken = await browser.post('/api/auth/register', credentials);
    expectError(asApiReply(taken), 400, 'Email already registered');
    expectError(asApiReply(await browser.post('/api/auth/login', { email: 'a@b.co' })), 422, /password/);
    expectError(asApiReply(await browser.post('/api/auth/login', '{')), 400, 'Malformed JSON');
    expect([...browser.jar]).toEqual([]);
  });

  it('keep the session of a new account when the request after it failed', async () => {
    const browser = stage.web.browser();
    stage.only('/auth/me', 'hang-up');
    const reply = await browser.post('/api/auth/register', newCredentials());
    expectError(asApiReply(reply), 502);
    stage.relay.reset();
    expect((await browser.get('/api/auth/me')).status).toBe(200);
  });

  it('set new cookies after a change of the password, which ends every other session', async () => {
    const { browser, credentials } = await stage.signedUp();
    const other = stage.web.browser();
    await other.post('/api/auth/login', credentials);
    const before = tokensOf(browser);
    const change = { current_password: credentials.password, new_password: 'Another-Horse-8' };
    const reply = await browser.post('/api/auth/password', change);
    expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ email: credentials.email })]);
    expect(reply.text).not.toMatch(/token/);
    expect(tokensOf(browser).filter((token) => before.includes(token))).toEqual([]);
    expect((await browser.get('/api/auth/sessions')).body).toMatchObject([{ current: true }]);
    expect((await other.get('/api/auth/me')).status).toBe(401);
    const wrong = await browser.post('/api/auth/password', { ...change, current_password: 'wrong' });
    expect([wrong.status, (await browser.get('/api/auth/me')).status]).toEqual([400, 200]);
  });

  it.each([
    ['an access token', () => undefined],
    ['an access token that has expired', spoilAccess],
    ['no access token any more', dropAccess],
  ])('end the session in the browser and in the service with %s', async (_, change) => {
    const { browser, credentials } = await stage.signedUp();
    const other = stage.web.browser();
    await other.post('/api/auth/login', credentials);
    const [access, refresh] = [
      browser.jar.get(cookieOf(browser, 'access'))!,
      browser.jar.get(cookieOf(browser, 'refresh'))!,
    ];
    change(browser);
    const reply = await browser.post('/api/auth/logout');
    expect([reply.status, reply.body]).toEqual([200, { message: 'Successfully logged out' }]);
    expect(clearsSession(reply)).toBe(true);
    expectError(await stage.app.api.as(access).get('/auth/me'), 401);
    expectError(await stage.app.api.post('/auth/refresh', { refresh_token: refresh }), 401);
    expectError(asApiReply(await browser.get('/api/auth/me')), 401, 'Invalid or expired token');
    expect((await other.get('/api/auth/sessions')).body).toMatchObject([{ current: true }]);
  });

  it('end the session in the service when its user has a page of newer ones', async () => {
    const { browser, credentials } = await stage.signedUp();
    const access = browser.jar.get(cookieOf(browser, 'access'))!;
    await stage.app.database.query(
      `INSERT INTO sessions (id, user_id, address, expires_at)
       SELECT gen_random_uuid(), id, '127.0.0.1', now() + interval '1 day' FROM users, generate_series(1, 250)
       WHERE email = $1`,
      [credentials.email],
    );
    await browser.post('/api/auth/logout');
    expectError(await stage.app.api.as(access).get('/auth/me'), 401);
  });

  it.each<Verdict>(['hang-up', { status: 503, body: '{}' }, { status: 200, body: '{"no": "list"}' }])(
    'end the session in the browser when the answer of the service is %j',
    async (verdict) => {
      const { browser } = await stage.signedUp();
      stage.relay.decide(() => verdict);
      const reply = await browser.post('/api/auth/logout');
      expect([reply.status, clearsSession(reply)]).toEqual([200, true]);
    },
  );

  it('succeed without a session', async () => {
    expect((await stage.web.browser().post('/api/auth/logout')).status).toBe(200);
  });
});

describe('Single sign-on through the dashboard', () => {
  beforeEach(() => {
    provider.person = { sub: 'grace', email: 'grace@example.com', email_verified: true };
  });

  /** @returns the query with which the provider sends this browser back */
  async function begun(browser: WebClient): Promise<string> {
    const reply = await browser.post('/api/auth/sso', {});
    expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['authorization_url']]);
    expect(reply.cookies).toMatchObject([
      { path: '/api/auth/sso', httpOnly: true, sameSite: 'lax', maxAge: 600 },
    ]);
    return (await visitProvider(reply.body.authorization_url)).search.slice(1);
  }

  it('ends with the same cookies as a password login, and returns the user', async () => {
    const browser = stage.web.browser();
    const query = await begun(browser);
    const reply = await browser.post('/api/auth/sso/tokens', { query });
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({ email: 'grace@example.com' }),
    ]);
    expect(reply.text).not.toMatch(/token/);
    expect([...browser.jar.keys()].map((name) => name.replace(/_\d+$/, ''))).toEqual([
      'svc_access',
      'svc_refresh',
      'svc_signed_in',
    ]);
    expect((await browser.get('/api/auth/me')).status).toBe(200);
  });

  it("finishes in the browser that began it, once, and from the dashboard's own pages", async () => {
    const browser = stage.web.browser();
    const query = await begun(browser);
    const stranger = await stage.web.browser().post('/api/auth/sso/tokens', { query });
    expectError(asApiReply(stranger), 400, /started in another browser/);
    const foreign = { origin: 'https://evil.example' };
    expect((await browser.post('/api/auth/sso/tokens', { query }, foreign)).status).toBe(403);
    expect((await browser.post('/api/auth/sso/tokens', { query })).status).toBe(200);
    expect((await browser.post('/api/auth/sso/tokens', { query })).status).toBe(400);
  });

  it('sends no browser on to a program by itself: the page asks', async () => {
    const browser = stage.web.browser();
    for (const state of ['49152.secret', 'secret', '80.secret', '49152@evil.example', '']) {
      const page = await browser.get(`/sign-in/sso?state=${encodeURIComponent(state)}`);
      expect([state, page.status, page.headers.location]).toEqual([state, 200, undefined]);
    }
  });
});

it('Two servers on localhost keep separate session cookies', async () => {
  const other = await startTestWeb({ SERVICE_URL: stage.app.url });
  try {
    const { browser } = await stage.signedUp();
    const { browser: second } = await stage.signedUp(other);
    // a browser sends cookies to every port of a host
    const both = new Map([...browser.jar, ...second.jar]);
    for (const [name, value] of both) browser.jar.set(name, value);
    const me = await browser.get('/api/auth/me');
    await browser.post('/api/auth/logout');
    second.jar.clear();
    for (const [name, value] of browser.jar) second.jar.set(name, value);
    const otherMe = await second.get('/api/auth/me');
    expect([me.status, otherMe.status]).toEqual([200, 200]);
    expect(otherMe.body.id).not.toBe(me.body.id);
  } finally {
    await other.close();
  }
});
