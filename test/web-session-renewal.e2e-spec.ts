import { expectError } from './harness/error-shape.js';
import type { Verdict } from './harness/service-relay.js';
import { asApiReply } from './harness/test-web.js';
import { until } from './harness/until.js';
import { clearsSession, cookieOf, dropAccess, spoilAccess, WebStage } from './harness/web-stage.js';

let stage: WebStage;

beforeAll(async () => {
  stage = await WebStage.open();
});

beforeEach(() => stage.relay.reset());

afterAll(() => stage.close());

describe('An expired access token', () => {
  it("is refreshed for the browser, whether the browser's cookie or the service's reply shows the expiry", async () => {
    for (const expire of [dropAccess, spoilAccess]) {
      const { browser } = await stage.signedUp();
      const before = browser.cookies;
      expire(browser);
      const reply = await browser.post('/api/dashboard/agents', { name: 'made-once' });
      expect(reply.status).toBe(201);
      expect(reply.cookies).toHaveLength(3);
      expect(browser.cookies).not.toBe(before);
      const agents = await browser.get('/api/dashboard/agents');
      expect(agents.body).toHaveLength(1);
      expect(agents.cookies).toEqual([]);
      expect(stage.relay.to('/auth/refresh')).toHaveLength(1);
    }
  });

  it('is refreshed once for twenty simultaneous requests, which all get the new cookies', async () => {
    const { browser } = await stage.signedUp();
    spoilAccess(browser);
    const tabs = Array.from({ length: 20 }, () => browser.copy());
    const release = stage.hold('/auth/refresh');
    const replies = Promise.all(tabs.map((tab) => tab.get('/api/dashboard/agents')));
    // all of them were refused, so all of them want a new token now
    await until(() => stage.relay.to('/agents').length === 20 && stage.relay.to('/auth/refresh').length > 0);
    release();
    for (const reply of await replies) expect([reply.status, reply.cookies.length]).toEqual([200, 3]);
    expect(stage.relay.to('/auth/refresh')).toHaveLength(1);
    expect(new Set(tabs.map((tab) => tab.cookies)).size).toBe(1);
    expect((await tabs[0]!.get('/api/auth/me')).cookies).toEqual([]);
  });

  it('is not refreshed again for a late request', async () => {
    const { browser } = await stage.signedUp();
    dropAccess(browser);
    const late = browser.copy();
    await browser.get('/api/auth/me');
    expect((await late.get('/api/auth/me')).status).toBe(200);
    expect(late.cookies).toBe(browser.cookies);
    expect(stage.relay.to('/auth/refresh')).toHaveLength(1);
  });

  it('is refreshed once for each session, not for another one', async () => {
    const [one, other] = [(await stage.signedUp()).browser, (await stage.signedUp()).browser];
    for (const browser of [one, other]) dropAccess(browser);
    const [first, second] = await Promise.all([one.get('/api/auth/me'), other.get('/api/auth/me')]);
    expect(first.body.id).not.toBe(second.body.id);
    expect(stage.relay.to('/auth/refresh')).toHaveLength(2);
  });

  it("is refreshed for the browser's address, so that rate limits count it", async () => {
    const { browser } = await stage.signedUp();
    dropAccess(browser);
    await browser.get('/api/auth/me');
    expect(stage.relay.to('/auth/refresh')[0]!.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1' });
    expect(stage.relay.to('/auth/refresh')[0]!.headers.cookie).toBeUndefined();
  });
});

describe('A session that can not be refreshed', () => {
  it('ends when the service refuses the refresh token', async () => {
    const { browser } = await stage.signedUp();
    dropAccess(browser);
    browser.jar.set(cookieOf(browser, 'refresh'), 'no.longer.good');
    const reply = await browser.get('/api/dashboard/agents');
    expectError(asApiReply(reply), 401, 'Invalid or expired refresh token');
    expect(clearsSession(reply)).toBe(true);
    expect(stage.relay.to('/agents')).toEqual([]);
  });

  it('ends when the account was deactivated', async () => {
    const { browser, reply } = await stage.signedUp();
    await stage.operator.api.patch(`/users/${reply.body.id}`, { is_active: false });
    dropAccess(browser);
    const refused = await browser.get('/api/auth/me');
    expectError(asApiReply(refused), 401, 'Account is deactivated');
    expect(clearsSession(refused)).toBe(true);
  });

  it('ends when the refreshed token is refused as well', async () => {
    const { browser } = await stage.signedUp();
    dropAccess(browser);
    const refusal = { statusCode: 401, detail: 'Invalid or expired token', request_id: 'r' };
    stage.only('/agents', { status: 401, body: JSON.stringify(refusal) });
    const reply = await browser.get('/api/dashboard/agents');
    expectError(asApiReply(reply), 401);
    expect(clearsSession(reply)).toBe(true);
    expect(stage.relay.to('/auth/refresh')).toHaveLength(1);
  });

  it.each([
    ['is away', 'hang-up', 502],
    ['fails', { status: 500, body: '<html>' }, 502],
    ['talks nonsense', { status: 200, body: '{"access_token":1}' }, 502],
    ['is behind a gateway that asks for a login', { status: 401, body: '<h1>Log in</h1>' }, 502],
    ['is behind an ingress without a backend', { status: 404, body: 'default backend - 404' }, 502],
    ['is behind a firewall that answers in JSON', { status: 403, body: '{"detail":"blocked"}' }, 502],
    ['is starting', { status: 503, headers: { 'retry-after': '7' } }, 503],
    ['has had too many', { status: 429, headers: { 'retry-after': '9' } }, 429],
  ] as [string, Verdict, number][])('continues when the service %s', async (_, verdict, status) => {
    const { browser } = await stage.signedUp();
    dropAccess(browser);
    stage.only('/auth/refresh', verdict);
    const reply = await browser.get('/api/auth/me');
    expectError(asApiReply(reply), status);
    expect(reply.cookies).toEqual([]);
    stage.relay.reset();
    expect((await browser.get('/api/auth/me')).status).toBe(200);
  });

  it.each([dropAccess, spoilAccess, () => undefined])(
    'continues when a request for data gets the 401 of a gateway: %p',
    async (expire) => {
      const { browser } = await stage.signedUp();
      expire(browser);
      stage.only('/agents', {
        status: 401,
        headers: { 'x-request-id': 'of-the-gateway' },
        body: '<h1>Log in</h1>',
      });
      const reply = await browser.get('/api/dashboard/agents');
      expectError(asApiReply(reply), 502, /^SERVICE_URL answered, but not as the agent control plane/);
      expect(clearsSession(reply)).toBe(false);
      stage.relay.reset();
      expect((await browser.get('/api/dashboard/agents')).status).toBe(200);
    },
  );

  it('sends no request to the service when there are no cookies', async () => {
    const reply = await stage.web.browser().get('/api/dashboard/agents');
    expectError(asApiReply(reply), 401, 'Invalid or expired token');
    expect([reply.cookies, stage.relay.seen]).toEqual([[], []]);
  });
});

describe('Signing out during a request', () => {
  it('is not undone by the reply to that request', async () => {
    const { browser } = await stage.signedUp();
    dropAccess(browser);
    const slow = browser.copy();
    const release = stage.hold('/agents', { status: 200, body: '[]' });
    const reply = slow.get('/api/dashboard/agents');
    await until(() => stage.relay.to('/agents').length === 1);
    await browser.get('/api/auth/me');
    await browser.post('/api/auth/logout');
    release();
    expect((await reply).cookies).toEqual([]);
  });

  it('is not undone by a refresh that began before', async () => {
    const { browser, credentials } = await stage.signedUp();
    const { body: tokens } = await stage.app.api.post('/auth/login', credentials);
    const slow = browser.copy();
    dropAccess(slow);
    const release = stage.hold('/auth/refresh', { status: 200, body: JSON.stringify(tokens) });
    const reply = slow.get('/api/auth/me');
    await until(() => stage.relay.to('/auth/refresh').length === 1);
    await browser.post('/api/auth/logout');
    release();
    const { status, cookies } = await reply;
    expect([status, cookies]).toEqual([200, []]);
    // nor by one that comes after
    expectError(asApiReply(await slow.get('/api/auth/me')), 401);
  });
});
