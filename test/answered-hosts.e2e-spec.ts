import { GOOD_PASSWORD } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { rawRequest } from './harness/raw-request.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { asApiReply, startTestWeb, type TestWeb } from './harness/test-web.js';

const PUBLIC_URLS = {
  PUBLIC_URL: 'https://api.example.com',
  WEB_PUBLIC_URL: 'https://control.example.com',
};

let service: TestApp;
let web: TestWeb;

beforeAll(async () => {
  service = await startTestApp({ settings: PUBLIC_URLS });
  web = await startTestWeb({ SERVICE_URL: service.url, ...PUBLIC_URLS });
});

afterAll(async () => {
  await web.close();
  await service.close();
});

describe('A server that listens on loopback', () => {
  const register = (host: string) =>
    rawRequest(service.url, {
      method: 'POST',
      path: '/auth/register',
      headers: { host, 'content-type': 'application/json' },
      parts: [JSON.stringify({ email: 'mallory@example.com', password: GOOD_PASSWORD })],
    });

  it('refuses a page whose name was given the address of the machine, and registers no account', async () => {
    const reply = await register('evil.example.com:8000');
    const headers = new Headers(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]));
    expectError(
      { status: reply.status, headers, body: reply.body },
      421,
      /"evil\.example\.com": use localhost/,
    );
    expect(await service.database.query("SELECT id FROM users WHERE email LIKE 'mallory%'")).toEqual([]);
    const page = await web.browser().get('/', { headers: { host: 'evil.example.com:3000' } });
    expectError(asApiReply(page), 421, /"evil\.example\.com"/);
  });

  it.each(['localhost:8000', 'agents.localhost', '[::1]', 'api.example.com', 'control.example.com'])(
    'answers a request for %s',
    async (host) => {
      const { status } = await rawRequest(service.url, { path: '/health', headers: { host } });
      const page = await web.browser().get('/healthz', { headers: { host } });
      expect([status, page.status]).toEqual([200, 200]);
    },
  );
});

it('A server that listens on every address answers to every name', async () => {
  const settings = { HOST: '0.0.0.0', WEB_HOST: '0.0.0.0' };
  const open = await startTestApp({ database: service.database, settings });
  const openWeb = await startTestWeb({ SERVICE_URL: service.url, ...settings });
  try {
    const headers = { host: 'agents.internal' };
    const { status } = await rawRequest(open.url, { path: '/health', headers });
    const page = await openWeb.browser().get('/healthz', { headers });
    expect([status, page.status]).toEqual([200, 200]);
  } finally {
    await openWeb.close();
    await open.close();
  }
});
