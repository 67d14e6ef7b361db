import { expectError } from './harness/error-shape.js';
import { asApiReply, WebClient } from './harness/test-web.js';
import { clearsSession, dropAccess, newCredentials, WebStage } from './harness/web-stage.js';

const ORIGIN = 'https://company.example';
const BASE = '/agents';

let stage: WebStage;

beforeAll(async () => {
  stage = await WebStage.open({
    WEB_PUBLIC_URL: `${ORIGIN}${BASE}/`,
    PUBLIC_URL: 'https://company.example/agents-api',
  });
});

afterAll(() => stage.close());

const browser = () => new WebClient(stage.web.url, new Map(), ORIGIN);

/** Addresses of this server in a document. */
const addressesIn = (html: string) =>
  [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address]) => address!);

describe('A dashboard below a path', () => {
  it.each(['', '/', '/agents', '/agents/01920000-0000-7000-8000-000000000000', '/sign-in?next=%2Fagents'])(
    'has its document with files and links below the path at %s',
    async (path) => {
      for (const cookie of ['', '__Secure-svc_signed_in=true']) {
        const headers = { accept: 'text/html', cookie };
        const { status, text } = await browser().get(BASE + path, { headers });
        expect([status, text]).toEqual([200, expect.stringContaining(`name="base-path" content="${BASE}"`)]);
        const addresses = new Set(addressesIn(text));
        expect(addresses.size).toBeGreaterThan(3);
        for (const address of addresses) {
          expect(address).toMatch(/^(\/agents\/|#main$)/);
          if (address !== '#main')
            expect([address, (await browser().request('HEAD', address)).status]).toEqual([address, 200]);
        }
      }
    },
  );

  it('loads its other scripts and styles from its own folder', async () => {
    const { text } = await browser().get(`${BASE}/`);
    const [script] = addressesIn(text).filter((it) => /\/index-[^/]*\.js$/.test(it));
    const source = (await browser().get(script!)).text;
    expect(source).toContain('./');
    expect(source).not.toMatch(/["'`]\/?assets\/[\w-]+\.(js|css)["'`]/);
  });

  it.each(['/', '/agentsx', '/AGENTS/', '/api/auth/me', '/docs/guide/', '/assets/', '//agents/'])(
    'answers 404 with its path outside of it, at %s',
    async (path) => {
      expectError(asApiReply(await browser().get(path)), 404, /dashboard is at \/agents\//);
    },
  );

  it('answers health checks at the root, too', async () => {
    for (const path of ['/healthz', `${BASE}/healthz`])
      expect((await browser().get(path)).body).toEqual({ status: 'ok' });
  });

  it('keeps the session in cookies of its path, renews and ends it', async () => {
    const client = browser();
    const begun = await client.post(`${BASE}/api/auth/register`, newCredentials());
    const places = (cookies: typeof begun.cookies) => cookies.map(({ name, path }) => [name, path]);
    const own = [
      ['__Secure-svc_access', BASE],
      ['__Secure-svc_refresh', `${BASE}/api`],
      ['__Secure-svc_signed_in', BASE],
    ];
    expect([begun.status, places(begun.cookies)]).toEqual([201, own]);
    dropAccess(client);
    const renewed = await client.get(`${BASE}/api/auth/me`);
    expect([renewed.status, places(renewed.cookies)]).toEqual([200, own]);
    const ended = await client.post(`${BASE}/api/auth/logout`);
    expect([ended.status, clearsSession(ended), places(ended.cookies)]).toEqual([200, true, own]);
  });

  it('refuses a change that a page of another origin asks for', async () => {
    const evil = new WebClient(stage.web.url, new Map(), 'https://company.example.evil.example');
    expectError(asApiReply(await evil.post(`${BASE}/api/auth/login`, newCredentials())), 403);
  });

  it('leads to the next page of a list below its path', async () => {
    const client = browser();
    await client.post(`${BASE}/api/auth/register`, newCredentials());
    for (const name of ['a', 'b']) await client.post(`${BASE}/api/dashboard/agents`, { name });
    const { headers } = await client.get(`${BASE}/api/dashboard/agents?limit=1`);
    expect(headers.link).toMatch(/^<\/agents\/api\/dashboard\/agents\?limit=1&/);
    const [, next = ''] = /^<([^>]*)>/.exec(String(headers.link))!;
    expect((await client.get(next)).body).toHaveLength(1);
  });

  it.each([
    ['/docs/guide', `${BASE}/docs/guide/`],
    ['/docs', 'https://company.example/agents-api/docs'],
  ])('sends a visitor of its %s to %s', async (path, location) => {
    expect((await browser().get(BASE + path)).headers.location).toBe(location);
  });

  it('has the documentation, whose links stay below the path', async () => {
    const own = `${BASE}/docs/guide/`;
    const { status, text } = await browser().get(`${own}decisions/`);
    expect(status).toBe(200);
    const outside = [...addressesIn(text), ...[...text.matchAll(/ data-\w+="([^"]+)"/g)].map(([, it]) => it!)]
      .map((link) => new URL(link, `${ORIGIN}${own}decisions/`))
      .filter(({ origin, pathname }) => origin === ORIGIN && !pathname.startsWith(own))
      .map(({ pathname }) => pathname);
    expect(outside.sort()).toEqual([`${BASE}/`, `${BASE}/docs`, `${BASE}/icon.svg`]);
  });
});
