import { expectError } from './harness/error-shape.js';
import { asApiReply, startTestWeb, type WebClient } from './harness/test-web.js';
import { WebStage } from './harness/web-stage.js';

let stage: WebStage;
let browser: WebClient;

beforeAll(async () => {
  stage = await WebStage.open({ MAX_BODY_BYTES: '2048' });
  ({ browser } = await stage.signedUp());
});

beforeEach(() => stage.relay.reset());

afterAll(() => stage.close());

describe('A request that changes something', () => {
  const from = (headers: Record<string, string>) =>
    browser.request('POST', '/api/dashboard/agents', { body: {}, headers });

  it.each([
    ['another site', { origin: 'https://evil.example.com' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a name that begins like ours', { origin: 'http://127.0.0.1.evil.example.com' }],
    ['what the browser calls another site', { 'sec-fetch-site': 'cross-site' }],
    ['what the browser calls a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['what the browser calls a person, who would not post', { 'sec-fetch-site': 'none' }],
    ['nonsense', { origin: 'nonsense' }],
  ] as [string, Record<string, string>][])('is refused from %s', async (_, headers) => {
    expectError(asApiReply(await from(headers)), 403, /another site/);
    expect(stage.relay.seen).toEqual([]);
  });

  it('is refused with the Referer of another site and with an empty Origin', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${stage.web.url}/api/dashboard/agents`, {
        method: 'POST',
        headers: { cookie: browser.cookies, ...headers },
      });
    expect((await send({ referer: 'https://evil.example.com/page' })).status).toBe(403);
    expect((await send({ origin: '' })).status).toBe(403);
    expect(stage.relay.seen).toEqual([]);
  });

  it('is accepted from a program that sends no origin', async () => {
    const reply = await fetch(`${stage.web.url}/api/dashboard/agents`, {
      method: 'POST',
      headers: { cookie: browser.cookies },
    });
    expect(reply.status).toBe(201);
  });

  it('is accepted from the own origin in every form that browsers send', async () => {
    const ways: Record<string, string>[] = [
      { origin: stage.web.url },
      { referer: `${stage.web.url}/agents` },
      { 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of ways) {
      const reply = await fetch(`${stage.web.url}/api/dashboard/agents`, {
        method: 'POST',
        headers: { cookie: browser.cookies, ...headers },
      });
      expect(reply.status).toBe(201);
    }
  });

  it('is accepted only from WEB_PUBLIC_URL when that is set', async () => {
    const named = await startTestWeb({
      SERVICE_URL: stage.app.url,
      WEB_PUBLIC_URL: 'https://control.example.com',
    });
    try {
      const send = (origin: string) =>
        named
          .browser()
          .request('POST', '/api/newsletter', { body: { email: 'a@b.co' }, headers: { origin } });
      expect((await send('https://control.example.com')).status).toBe(200);
      expectError(asApiReply(await send(named.url)), 403, /open https:\/\/control\.example\.com$/);
      expectError(asApiReply(await send('http://control.example.com')), 403);
    } finally {
      await named.close();
    }
  });

  it('is refused when its body is not JSON or is too large', async () => {
    const send = (type: string, body: string) =>
      browser.request('POST', '/api/dashboard/agents', { body, headers: { 'content-type': type } });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'nonsense',
    ]) {
      expectError(asApiReply(await send(type, '{}')), 415);
    }
    const large = JSON.stringify({ name: 'large', description: 'x'.repeat(3_000) });
    expectError(
      asApiReply(await send('application/json', large)),
      413,
      'The body is larger than 2048 bytes (MAX_BODY_BYTES): send it in smaller parts',
    );
    expect(stage.relay.seen).toEqual([]);
    expect((await send('application/json; charset=utf-8', '{}')).status).toBe(201);
    expect((await browser.request('POST', '/api/dashboard/agents')).status).toBe(201);
  });
});
