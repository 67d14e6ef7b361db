import { spawnSync } from 'node:child_process';
import { GOOD_PASSWORD } from '../builders/people.js';
import { EventStream } from '../harness/event-stream.js';
import { startChildWeb } from '../harness/child-web.js';
import { ServiceRelay } from '../harness/service-relay.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { startTestWeb, WebClient } from '../harness/test-web.js';
import { until } from '../harness/until.js';

let app: TestApp;
let relay: ServiceRelay;

beforeAll(async () => {
  app = await startTestApp();
  relay = await ServiceRelay.start(app.url);
});

beforeEach(() => relay.reset());

afterAll(async () => {
  await relay.close();
  await app.close();
});

const credentials = { email: 'ada@example.com', password: GOOD_PASSWORD };

/** Starts a web server as a process and waits for its end. */
function start(settings: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/src/web/main.js'], {
    env: { PATH: process.env.PATH, ...settings },
    encoding: 'utf8',
  });
  return [status, stdout, stderr];
}

it('The web server logs no token, cookie or password, and on SIGTERM answers open requests, ends streams and exits with 0', async () => {
  const web = await startChildWeb({ SERVICE_URL: relay.url });
  const browser = new WebClient(web.url);
  await browser.post('/api/auth/register', credentials);
  const tokens = () => [...browser.jar.values()].filter((value) => value.includes('.'));
  const secrets = [...tokens(), credentials.password, 'a-secret-in-a-query'];
  await browser.get('/api/dashboard/agents?q=a-secret-in-a-query');
  relay.decide(() => 'hang-up');
  await browser.get('/api/dashboard/agents?q=a-secret-in-a-query');
  await browser.post('/api/auth/login', credentials);
  const access = [...browser.jar.keys()].find((name) => name.includes('access'))!;
  browser.jar.delete(access);
  await browser.get('/api/auth/me');
  relay.decide(() => ({ status: 200, body: `{"access_token":"${secrets[0]}"` }));
  await browser.post('/api/auth/login', credentials);
  await browser.get('/api/auth/me');

  relay.reset();
  await browser.post('/api/auth/login', credentials);
  secrets.push(...tokens());
  const stream = await EventStream.open(web.url, '/api/dashboard/events/stream', {
    headers: { cookie: browser.cookies },
  });
  let release!: () => void;
  const gate = new Promise<void>((resolve) => (release = resolve));
  relay.decide(({ path }) => (path === '/agents' ? gate.then(() => 'pass' as const) : 'pass'));
  relay.seen.length = 0;
  const reply = browser.get('/api/dashboard/agents');
  await until(() => relay.to('/agents').length === 1);
  const ended = web.end('SIGTERM');
  await stream.ended();
  await expect(fetch(`${web.url}/healthz`)).rejects.toThrow();
  release();
  expect((await reply).status).toBe(200);
  expect(await ended).toBe(0);

  expect(web.output()).toMatch(
    /"path":"\/api\/dashboard\/agents","status":502,.*The service can't be reached/,
  );
  for (const secret of secrets) expect(web.output()).not.toContain(secret);
  expect(web.output()).not.toMatch(/bearer|cookie|svc_(access|refresh)/i);
});

// all other bad settings: src/web/web-settings.spec.ts
it('The web server exits with one line that names an invalid setting', () => {
  const [status, stdout, stderr] = start({ WEB_PORT: '65536' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Invalid settings: WEB_PORT: [^\n]+\n$/);
});

it('The web server names an address at which it can not listen in one line', async () => {
  const { port } = new URL(app.url);
  expect(start({ WEB_PORT: port })).toEqual([1, '', `Port ${port} is taken. Set WEB_PORT to another one.\n`]);
  await expect(startTestWeb({ SERVICE_URL: relay.url, WEB_HOST: '192.0.2.1' })).rejects.toThrow(
    'WEB_HOST 192.0.2.1 is not an address of this machine.',
  );
});
