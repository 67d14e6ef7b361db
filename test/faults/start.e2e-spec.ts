import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { GOOD_PASSWORD } from '../builders/people.js';
import { ApiClient } from '../harness/api-client.js';
import { printedBy } from '../harness/secrets-made.js';
import { halfSentRequest } from '../harness/raw-request.js';
import { createTestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { alive, isRoot, prepareMigratedTemplate, type Stage } from './embedded-postgres-stage.js';

const START = join(import.meta.dirname, '../../scripts/start.mjs');
/** Up to two starts, of three processes each and a new database: a busy machine takes half a minute for one. */
jest.setTimeout(180_000);

const CREDENTIALS = { email: 'someone@example.com', password: GOOD_PASSWORD };

/** `npm start` without npm: the script, both servers below it, PostgreSQL below the service. */
interface Run {
  readonly script: ChildProcessByStdio<null, Readable, Readable>;
  output(): string;
  /** Waits for the address of the service that it prints. */
  service(): Promise<string>;
  /** The same, to be asked things. */
  api(): Promise<ApiClient>;
  /** Waits for the address of the web server. */
  web(): Promise<string>;
  /** The process of one of the two servers. */
  pidOf(server: 'service' | 'web'): number;
  ended(): Promise<number | null>;
}

let template: Stage;
let base: string;
let dataDir: string;
let runs: Run[];
let halfSent: Socket[];

beforeAll(async () => {
  template = await prepareMigratedTemplate();
});

afterAll(() => template.clear());

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'acp-start-'));
  // the user that PostgreSQL runs as for root has to pass
  chmodSync(base, 0o711);
  dataDir = join(base, 'data');
  [runs, halfSent] = [[], []];
});

/** For a test that is not about the first start, of which making a database and its tables takes the longest part. */
function giveDatabase(): void {
  execFileSync('cp', ['-a', template.dataDir, dataDir]);
}

afterEach(async () => {
  for (const { script } of runs) script.kill('SIGTERM');
  // requests that are still under way are nobody's any more
  for (const socket of halfSent) socket.destroy();
  await Promise.all(runs.map((it) => it.ended()));
  await until(() => !postgresPid());
  rmSync(base, { recursive: true });
});

function start(env: Record<string, string> = {}, user: { uid?: number; gid?: number } = {}): Run {
  const script = spawn(process.execPath, [START], {
    ...user,
    cwd: '/',
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      WEB_PORT: '0',
      DATA_DIR: dataDir,
      BCRYPT_COST: '4',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = printedBy('the output of npm start', script);
  const closed = once(script, 'close') as Promise<[number | null]>;
  const addressOf = async (name: string) => {
    const address = () => new RegExp(`^ *${name} +(http://\\S+)$`, 'm').exec(output())?.[1];
    await until(() => address() ?? script.exitCode !== null, 60_000);
    const url = address();
    if (!url) throw new Error(`It ended:\n${output()}`);
    return url;
  };
  const run: Run = {
    script,
    output,
    service: () => addressOf('API'),
    api: async () => new ApiClient(await addressOf('API')),
    web: () => addressOf('Web'),
    pidOf(server) {
      const program = server === 'web' ? 'dist/src/web/main.js' : 'dist/service/main.js';
      return Number(execFileSync('pgrep', ['-P', String(script.pid), '-f', program], { encoding: 'utf8' }));
    },
    ended: async () => (await closed)[0],
  };
  runs.push(run);
  return run;
}

function postgresPid(): number | undefined {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
  return pid && alive(pid) ? pid : undefined;
}

const register = (api: ApiClient) => api.post('/auth/register', CREDENTIALS);
const login = (api: ApiClient) => api.post('/auth/login', CREDENTIALS);

it('serves, ends with PostgreSQL on Ctrl-C, and finds its data at the next start', async () => {
  const first = start();
  expect((await register(await first.api())).status).toBe(201);
  const pid = postgresPid();
  expect(pid).toBeDefined();
  first.script.kill('SIGINT');
  // npm may pass on the signal that the terminal has sent already
  first.script.kill('SIGINT');
  expect(await first.ended()).toBe(0);
  expect(postgresPid()).toBeUndefined();
  expect(first.output()).not.toMatch(/error|^ +at /im);

  const second = start();
  expect((await login(await second.api())).status).toBe(200);
  second.script.kill('SIGTERM');
  expect(await second.ended()).toBe(0);
});

it('serves the dashboard, which finds the service, and ends with it on Ctrl-C', async () => {
  giveDatabase();
  const run = start();
  const web = await run.web();
  expect(await (await fetch(web)).text()).toContain('<div id="root">');
  const health = await fetch(`${web}/api/dashboard/health`);
  expect(await health.json()).toMatchObject({ status: 'healthy', database: 'ready' });
  expect(run.output()).toMatch(
    /^ {2}Web {12}http:\S+\n {2}API {12}http:\S+\n {2}Documentation {2}http:\S+\n/m,
  );
  const pid = run.pidOf('web');
  run.script.kill('SIGINT');
  expect(await run.ended()).toBe(0);
  expect(alive(pid)).toBe(false);
  expect(run.output()).not.toMatch(/error|^ +at /im);
});

it('waits for requests under way on the first Ctrl-C, and for nothing on the second one', async () => {
  giveDatabase();
  const run = start({ DRAIN_TIMEOUT_SECONDS: '600' });
  await run.web();
  const service = run.pidOf('service');
  halfSent.push(await halfSentRequest(await run.service()));
  run.script.kill('SIGINT');
  run.script.kill('SIGINT');
  // from here on it is another one, and not the same once more
  await delay(1_500);
  expect(alive(service)).toBe(true);
  run.script.kill('SIGINT');
  expect(await run.ended()).toBe(1);
  expect(alive(service)).toBe(false);
  await until(() => !postgresPid());
});

it('waits for requests of the service also when the web server has ended long before', async () => {
  giveDatabase();
  const run = start({ DRAIN_TIMEOUT_SECONDS: '3' });
  await run.web();
  const web = run.pidOf('web');
  halfSent.push(await halfSentRequest(await run.service()));
  run.script.kill('SIGINT');
  await until(() => !alive(web));
  expect(await run.ended()).toBe(0);
});

it('refuses a second service on the same data in one line, and ends when its web server was killed', async () => {
  giveDatabase();
  const run = start();
  const api = await run.api();
  await run.web();
  const second = start({ LOG_LEVEL: 'error' });
  expect(await second.ended()).toBe(1);
  expect(second.output()).toMatch(
    /^Another running service uses .*: stop that one, or choose another DATA_DIR.*\n$/,
  );
  expect((await api.get('/ready')).status).toBe(200);

  const service = run.pidOf('service');
  process.kill(run.pidOf('web'), 'SIGKILL');
  expect(await run.ended()).toBe(128 + 9);
  expect(alive(service)).toBe(false);
  expect(postgresPid()).toBeUndefined();
});

it('says in one line that the port of the web server is taken, and leaves nothing behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  giveDatabase();
  const run = start({ WEB_PORT: String(port) });
  expect(await run.ended()).toBe(1);
  expect(run.output()).toBe(`Port ${port} is taken. Set WEB_PORT to another one.\n`);
  expect(postgresPid()).toBeUndefined();
  other.close();
});

it('names a bad setting of the web server in one line', async () => {
  giveDatabase();
  const run = start({ WEB_PUBLIC_URL: 'https://control.example.com/path' });
  expect(await run.ended()).toBe(1);
  expect(run.output()).toMatch(/^Invalid settings: WEB_PUBLIC_URL: must be [^\n]+\n$/);
});

it('starts again after the service was killed, and leaves nothing behind when it is killed itself', async () => {
  giveDatabase();
  const first = start();
  await register(await first.api());
  const pid = postgresPid();
  process.kill(first.pidOf('service'), 'SIGKILL');
  expect(await first.ended()).toBe(128 + 9);
  expect(postgresPid()).toBe(pid);

  const second = start();
  expect((await login(await second.api())).status).toBe(200);
  await second.web();
  const servers = [second.pidOf('service'), second.pidOf('web')];
  second.script.kill('SIGKILL');
  await until(() => !servers.some(alive));
  expect(postgresPid()).toBeUndefined();
});

it('uses the database that DATABASE_URL names, and starts none', async () => {
  const database = await createTestDatabase('template0');
  try {
    const { host, user, database: name } = database.target;
    const run = start({
      DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    });
    await register(await run.api());
    expect(await database.query('select email from users')).toEqual([{ email: CREDENTIALS.email }]);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    run.script.kill('SIGINT');
    expect(await run.ended()).toBe(0);
  } finally {
    await database.drop();
  }
});

// only root can become another user
(isRoot ? it : it.skip)('works for an ordinary user', async () => {
  const id = (what: string) => Number(execFileSync('id', [what, 'nobody'], { encoding: 'utf8' }));
  const nobody = { uid: id('-u'), gid: id('-g') };
  mkdirSync(dataDir);
  chownSync(dataDir, nobody.uid, nobody.gid);
  const run = start({}, nobody);
  expect((await register(await run.api())).status).toBe(201);
  expect(statSync(join(dataDir, 'postgres')).uid).toBe(nobody.uid);
  run.script.kill('SIGINT');
  expect(await run.ended()).toBe(0);
  expect(postgresPid()).toBeUndefined();
});
