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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { GOOD_PASSWORD } from '../builders/people.js';
import { ApiClient } from '../harness/api-client.js';
import { createTestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { alive, isRoot } from './embedded-postgres-stage.js';

const START = join(import.meta.dirname, '../../scripts/start.mjs');
const CREDENTIALS = { email: 'someone@example.com', password: GOOD_PASSWORD };

/** `npm start` without npm: the script, the service below it, PostgreSQL below that. */
interface Run {
  readonly script: ChildProcessByStdio<null, Readable, Readable>;
  output(): string;
  /** Waits for the address that it prints. */
  api(): Promise<ApiClient>;
  /** The service's own process. */
  servicePid(): number;
  ended(): Promise<number | null>;
}

let base: string;
let dataDir: string;
let runs: Run[];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'acp-start-'));
  // the user that PostgreSQL runs as for root has to pass
  chmodSync(base, 0o711);
  dataDir = join(base, 'data');
  runs = [];
});

afterEach(async () => {
  for (const { script } of runs) script.kill('SIGTERM');
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
      DATA_DIR: dataDir,
      BCRYPT_COST: '4',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [script.stdout, script.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const closed = once(script, 'close') as Promise<[number | null]>;
  const run: Run = {
    script,
    output: () => output,
    async api() {
      const address = () => /^ *API +(http:\/\/\S+)$/m.exec(output)?.[1];
      await until(() => address() ?? script.exitCode !== null, 60_000);
      const url = address();
      if (!url) throw new Error(`The service ended:\n${output}`);
      return new ApiClient(url);
    },
    servicePid: () => Number(execFileSync('pgrep', ['-P', String(script.pid)], { encoding: 'utf8' })),
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

it('starts again after the service was killed', async () => {
  const first = start();
  await register(await first.api());
  const pid = postgresPid();
  process.kill(first.servicePid(), 'SIGKILL');
  expect(await first.ended()).toBe(128 + 9);
  expect(postgresPid()).toBe(pid);

  const second = start();
  expect((await login(await second.api())).status).toBe(200);
  second.script.kill('SIGINT');
  expect(await second.ended()).toBe(0);
  await until(() => !postgresPid());
});

it('leaves nothing behind when it is killed itself', async () => {
  const run = start();
  await run.api();
  const service = run.servicePid();
  run.script.kill('SIGKILL');
  await until(() => !alive(service));
  expect(postgresPid()).toBeUndefined();
});

it('refuses a second service on the same data in one line', async () => {
  const first = start();
  const api = await first.api();
  const second = start({ LOG_LEVEL: 'error' });
  expect(await second.ended()).toBe(1);
  expect(second.output()).toMatch(
    /^Another running service uses .*: stop that one, or choose another DATA_DIR.*\n$/,
  );
  expect((await api.get('/ready')).status).toBe(200);
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
