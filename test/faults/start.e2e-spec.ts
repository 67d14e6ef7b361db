import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { GOOD_PASSWORD } from '../builders/people.js';
import { ApiClient } from '../harness/api-client.js';
import { urlOf } from '../harness/child-service.js';
import { printedBy } from '../harness/secrets-made.js';
import { halfSentRequest } from '../harness/raw-request.js';
import { createTestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { alive, isRoot, postmasterPid } from './embedded-postgres-stage.js';

const START = join(import.meta.dirname, '../../scripts/start.mjs');
/** Up to two starts of three processes each, once with a new database: a busy machine takes half a minute for one. */
jest.setTimeout(180_000);

const CREDENTIALS = { email: 'someone@example.com', password: GOOD_PASSWORD };

/** `npm start` without npm: the script, its two servers, and PostgreSQL below the service. */
interface Run {
  readonly script: ChildProcessByStdio<null, Readable, Readable>;
  output(): string;
  /** Waits for the printed address of the service. */
  service(): Promise<string>;
  /** Waits for a client of the service. */
  api(): Promise<ApiClient>;
  /** Waits for the printed address of the web server. */
  web(): Promise<string>;
  /** The process id of one of the two servers. */
  pidOf(server: 'service' | 'web'): number;
  ended(): Promise<number | null>;
}

/** The tests use one `DATA_DIR` one after the other: only the first start creates the database and its tables. */
let base: string;
let dataDir: string;
let runs: Run[];
let halfSent: Socket[];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'acp-start-'));
  // for root, PostgreSQL runs as another user, who has to enter
  chmodSync(base, 0o711);
  dataDir = join(base, 'data');
});

afterAll(() => rmSync(base, { recursive: true }));

beforeEach(() => {
  [runs, halfSent] = [[], []];
});

afterEach(async () => {
  for (const { script } of runs) script.kill('SIGTERM');
  // unfinished requests have no caller any more
  for (const socket of halfSent) socket.destroy();
  await Promise.all(runs.map((it) => it.ended()));
  await until(() => !postgresPid());
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
  const pid = postmasterPid(join(dataDir, 'postgres'));
  return pid && alive(pid) ? pid : undefined;
}

const register = (api: ApiClient) => api.post('/auth/register', CREDENTIALS);
const login = (api: ApiClient) => api.post('/auth/login', CREDENTIALS);

/** The ids of an ordinary user if this process runs as root, which alone can start a process as another user. */
function ordinaryUser(): { uid?: number; gid?: number } {
  if (!isRoot) return {};
  const id = (what: string) => Number(execFileSync('id', [what, 'nobody'], { encoding: 'utf8' }));
  const nobody = { uid: id('-u'), gid: id('-g') };
  mkdirSync(dataDir);
  chownSync(dataDir, nobody.uid, nobody.gid);
  return nobody;
}

it('npm start serves the API and the dashboard for an ordinary user, and on Ctrl-C ends with PostgreSQL when the last request is over', async () => {
  const user = ordinaryUser();
  const run = start({ DRAIN_TIMEOUT_SECONDS: '600' }, user);
  const web = await run.web();
  expect((await register(await run.api())).status).toBe(201);
  expect(statSync(join(dataDir, 'postgres')).uid).toBe(user.uid ?? process.geteuid?.());
  expect(await (await fetch(web)).text()).toContain('<div id="root">');
  const health = await fetch(`${web}/api/dashboard/health`);
  expect(await health.json()).toMatchObject({ status: 'healthy', database: 'ready' });
  expect(run.output()).toMatch(
    /^ {2}Web {12}http:\S+\n {2}API {12}http:\S+\n {2}API reference {2}http:\S+\n {2}Documentation {2}http:\S+\n/m,
  );
  const servers = { web: run.pidOf('web'), service: run.pidOf('service') };
  const request = await halfSentRequest(await run.service());
  run.script.kill('SIGINT');
  // npm may forward a signal that the terminal has sent already
  run.script.kill('SIGINT');
  // the service still runs long after the end of the web server
  await until(() => !alive(servers.web));
  expect(alive(servers.service)).toBe(true);
  request.destroy();
  expect(await run.ended()).toBe(0);
  expect(alive(servers.service)).toBe(false);
  expect(postgresPid()).toBeUndefined();
  expect(run.output()).not.toMatch(/error|^ +at /im);
});

it('npm start finds its data, refuses a second service on the same data in one line, and ends when its web server was killed', async () => {
  const run = start();
  const api = await run.api();
  await run.web();
  expect((await login(api)).status).toBe(200);
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

it('npm start starts again after the service was killed, and ends without waiting on the second Ctrl-C', async () => {
  const first = start();
  await first.api();
  process.kill(first.pidOf('service'), 'SIGKILL');
  expect(await first.ended()).toBe(128 + 9);

  const second = start({ DRAIN_TIMEOUT_SECONDS: '600' });
  await second.web();
  expect((await login(await second.api())).status).toBe(200);
  const service = second.pidOf('service');
  halfSent.push(await halfSentRequest(await second.service()));
  second.script.kill('SIGINT');
  // after this time it is another signal, not a repetition
  await delay(1_500);
  expect(alive(service)).toBe(true);
  second.script.kill('SIGINT');
  expect(await second.ended()).toBe(1);
  expect(alive(service)).toBe(false);
  await until(() => !postgresPid());
});

it('npm start leaves no process behind when it is killed', async () => {
  const run = start();
  await run.web();
  const servers = [run.pidOf('service'), run.pidOf('web')];
  run.script.kill('SIGKILL');
  await until(() => !servers.some(alive));
  expect(postgresPid()).toBeUndefined();
});

it('npm start prints one line if the port of the web server is taken, and leaves no process behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const run = start({ WEB_PORT: String(port) });
  expect(await run.ended()).toBe(1);
  // The service may have warned before, in lines of its log.
  const said = run
    .output()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
  expect(said).toEqual([`Port ${port} is taken. Set WEB_PORT to another one.`, '']);
  expect(postgresPid()).toBeUndefined();
  other.close();
});

it('npm start uses the database of DATABASE_URL, starts no embedded one, and ends on SIGTERM', async () => {
  const database = await createTestDatabase('template0');
  const unused = join(base, 'unused');
  try {
    const run = start({ DATABASE_URL: urlOf(database.target), DATA_DIR: unused });
    await register(await run.api());
    expect(await database.query('select email from users')).toEqual([{ email: CREDENTIALS.email }]);
    expect(existsSync(join(unused, 'postgres'))).toBe(false);
    run.script.kill('SIGTERM');
    expect(await run.ended()).toBe(0);
  } finally {
    await database.drop();
  }
});
