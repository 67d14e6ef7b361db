import { spawnSync } from 'node:child_process';
import { GOOD_PASSWORD } from '../builders/people.js';
import { EventStream } from '../harness/event-stream.js';
import { startChildWeb } from '../harness/child-web.js';
import { ServiceRelay } from '../harness/service-relay.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { WebClient } from '../harness/test-web.js';
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

it('logs neither tokens nor cookies nor passwords, whatever goes wrong', async () => {
  const web = await startChildWeb({ SERVICE_URL: relay.url });
  const browser = new WebClient(web.url);
  await browser.post('/api/auth/register', credentials);
  const secrets = [...browser.jar.values(), credentials.password, 'a-secret-in-a-query'];
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
  expect(await web.end()).toBe(0);
  expect(web.output()).toMatch(
    /"path":"\/api\/dashboard\/agents","status":502,.*The service can't be reached/,
  );
  for (const secret of secrets) expect(web.output()).not.toContain(secret);
  expect(web.output()).not.toMatch(/bearer|cookie|svc_(access|refresh)/i);
});

it('answers what has been begun, ends streams, and ends with 0 when it is told to', async () => {
  const web = await startChildWeb({ SERVICE_URL: relay.url });
  const browser = new WebClient(web.url);
  await browser.post('/api/auth/login', credentials);
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
});

it.each([
  ['WEB_PORT', '65536'],
  ['WEB_PUBLIC_URL', 'https://control.example.com/path'],
  ['SERVICE_URL', 'nonsense'],
  ['PUBLIC_URL', 'ftp://example.com'],
  ['TRUST_PROXY', 'nonsense'],
  ['LOG_LEVEL', 'loud'],
])('stops with one line that names a bad setting: %s', (name, value) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/src/web/main.js'], {
    env: { PATH: process.env.PATH, WEB_PORT: '0', [name]: value },
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(new RegExp(`^Invalid settings: ${name}: [^\n]+\n$`));
});

it('says in one line what is wrong with its address', async () => {
  const web = await startChildWeb({ SERVICE_URL: relay.url });
  const tell = (settings: Record<string, string>) =>
    spawnSync(process.execPath, ['dist/src/web/main.js'], {
      env: { PATH: process.env.PATH, ...settings },
      encoding: 'utf8',
    }).stderr;
  const { port } = new URL(web.url);
  expect(tell({ WEB_PORT: port })).toBe(`Port ${port} is taken. Set WEB_PORT to another one.\n`);
  expect(tell({ WEB_PORT: '0', WEB_HOST: '192.0.2.1' })).toBe(
    'WEB_HOST 192.0.2.1 is no address of this machine.\n',
  );
  await web.end();
});
