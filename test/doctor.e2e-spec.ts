import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { version } from '../src/config/version.js';
import { grantToServiceRole } from '../src/service-role.js';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { urlOf } from './harness/child-service.js';
import { withAdmin } from './harness/cluster.mjs';
import { runDoctor } from './harness/run-doctor.js';
import { expectNoSecretIn } from './harness/secrets-made.js';
import { ServiceRelay } from './harness/service-relay.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';

const KEY = 'a key for tests of the doctor, long enough';
const OTHER_KEY = 'another key for tests of the doctor, longer';
const PASSWORD = 'Password-of-the-role';

let database: TestDatabase;
let app: TestApp;
let person: Person;
let agent: TestAgent;
let relay: ServiceRelay;
let service: string;
let settings: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  service = `${database.target.database}_service`;
  await database.query(`CREATE ROLE ${service} LOGIN`);
  const owner = new Client(database.target);
  await owner.connect();
  await grantToServiceRole(owner, service);
  await owner.end();
  const target = { ...database.target, user: service };
  app = await startTestApp({ database: { ...database, target }, settings: { WEBHOOK_SECRET_KEY: KEY } });
  await registerOperator(app);
  person = await registerPerson(app);
  agent = await createAgent(app, person, { name: 'doctor', config: { model: 'm' } });
  relay = await ServiceRelay.start(app.url);
  settings = {
    NODE_ENV: 'production',
    // the server asks nobody for a password
    DATABASE_URL: urlOf(target).replace('@', `:${PASSWORD}@`),
    DATABASE_POOL_SIZE: '4',
    JWT_SECRET: 'a secret for tests of the doctor, long enough',
    WEBHOOK_SECRET_KEY: KEY,
    PUBLIC_URL: 'https://control.example.com',
    SERVICE_AGENT_KEY: agent.key,
  };
});

afterEach(() => relay.reset());

afterAll(async () => {
  await relay.close();
  await app.close();
  await database.drop();
  await withAdmin((admin) => admin.query(`DROP ROLE ${service}`));
});

/** Runs the doctor with other settings than the good ones. */
async function examine(changes: Record<string, string> = {}, ...options: string[]) {
  const examined = await runDoctor({ ...settings, ...changes }, ...options);
  expect(examined.output + examined.errors).not.toContain(PASSWORD);
  return examined;
}

/** The only failed finding, with its next step. */
async function problemOf(check: string, changes: Record<string, string> = {}, ...options: string[]) {
  const { code, findings } = await examine(changes, ...options);
  const [problem] = findings.filter((it) => it.check === check && it.status !== 'ok');
  expect(problem?.next).toMatch(/./);
  expect(code).toBe(findings.some(({ status }) => status === 'failed') ? 1 : 0);
  return `${problem?.status}: ${problem?.message}`;
}

/** Breaks something in the database, looks, and repairs it. */
async function whileBroken<T>(breakIt: string, repairIt: string, look: () => Promise<T>): Promise<T> {
  await database.query(breakIt);
  try {
    return await look();
  } finally {
    await database.query(repairIt);
  }
}

async function onNewDatabase(template: string | undefined, look: (url: string) => Promise<string>) {
  const made = await createTestDatabase(template);
  const told = await look(urlOf(made.target));
  await made.drop();
  return told;
}

/** Puts a function in the place of PostgreSQL's own, for new sessions of the role. */
const replaced = (fake: string, look: () => Promise<string>) =>
  whileBroken(
    `CREATE SCHEMA fake; GRANT USAGE ON SCHEMA fake TO ${service}; CREATE FUNCTION fake.${fake};
     ALTER ROLE ${service} IN DATABASE ${database.target.database} SET search_path = public, fake, pg_catalog`,
    `ALTER ROLE ${service} IN DATABASE ${database.target.database} RESET search_path; DROP SCHEMA fake CASCADE`,
    look,
  );

const polled = (url: string) => ['--address', url, '--poll-seconds', '1'];

describe('The doctor', () => {
  it('finds an installation in order, through a real poll', async () => {
    const { code, findings } = await examine({}, ...polled(app.url));
    expect(code).toBe(0);
    // other suites take connections of the same server
    const seen = findings.filter(({ check }) => check !== 'connections');
    expect(seen.map(({ check, status }) => `${status} ${check}`)).toEqual(
      ['settings', 'database', 'clock', 'schema', 'rights', 'keys', 'address', 'poll'].map(
        (it) => `ok ${it}`,
      ),
    );
  });

  it('reports settings that are bad, misspelled, or risky', async () => {
    expect(await problemOf('settings', { DATABASE_POOL_SIZE: 'many' })).toMatch(
      /^failed: .*DATABASE_POOL_SIZE: must be a whole/,
    );
    expect(await problemOf('settings', { HEARTBEAT_INTERVALL_SECONDS: '3' })).toMatch(
      /^warn: HEARTBEAT_INTERVALL_SECONDS is not a setting/,
    );
    expect(await problemOf('settings', { PUBLIC_URL: '' })).toMatch(/^warn: PUBLIC_URL is not set/);
    expect(await problemOf('settings', { JWT_SECRET: '', NODE_ENV: 'test' })).toMatch(/^warn: JWT_SECRET/);
  });

  it('reports a database that is absent, or a standby', async () => {
    const url = `postgres://nobody:${PASSWORD}@127.0.0.1:9/none`;
    expect(await problemOf('database', { DATABASE_URL: url })).toMatch(/^failed: .*ECONNREFUSED/);
    const standby = `pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'`;
    expect(await replaced(standby, () => problemOf('database'))).toMatch(/^failed: .* is a standby/);
  });

  it.each([
    [5, 'warn', 'ahead of'],
    [-3_600, 'failed', 'behind'],
  ])('tells clocks that are %i seconds apart', async (seconds, status, side) => {
    const clock = `clock_timestamp() RETURNS timestamptz LANGUAGE sql
      AS 'SELECT pg_catalog.clock_timestamp() + make_interval(secs => ${seconds})'`;
    const seen = await replaced(clock, () => problemOf('clock'));
    expect(seen).toMatch(new RegExp(`^${status}: the database's is \\d+ s ${side} this`));
  });

  it('reports a schema that is older or newer than this version, or absent', async () => {
    type Migration = { timestamp: string; name: string };
    const [last] = await database.query<Migration>('SELECT * FROM migrations ORDER BY id DESC LIMIT 1');
    const insert = ({ timestamp, name }: Migration) =>
      `INSERT INTO migrations (timestamp, name) VALUES (${timestamp}, '${name}')`;
    const remove = (name: string) => `DELETE FROM migrations WHERE name = '${name}'`;
    expect(await whileBroken(remove(last!.name), insert(last!), () => problemOf('schema'))).toMatch(
      /^failed: 1 of \d+ migrations of this version are missing/,
    );
    const newer = { timestamp: '1', name: 'Newer1' };
    expect(await whileBroken(insert(newer), remove('Newer1'), () => problemOf('schema'))).toMatch(
      /^warn: the database is newer/,
    );
    const empty = await onNewDatabase('template0', (url) => problemOf('schema', { DATABASE_URL: url }));
    expect(empty).toMatch(/^failed: the database has no tables yet/);
  });

  it('reports a role with too few or too many rights', async () => {
    const lacking = await whileBroken(
      `REVOKE DELETE ON users FROM ${service}; REVOKE EXECUTE ON FUNCTION chain_audit_entries(integer) FROM ${service}`,
      `GRANT DELETE ON users TO ${service}; GRANT EXECUTE ON FUNCTION chain_audit_entries(integer) TO ${service}`,
      () => problemOf('rights'),
    );
    expect(lacking).toBe(`failed: the role ${service} lacks DELETE on users, EXECUTE on chain_audit_entries`);
    const able = await whileBroken(
      `GRANT UPDATE ON audit_log TO ${service}`,
      `REVOKE UPDATE ON audit_log FROM ${service}`,
      () => problemOf('rights'),
    );
    expect(able).toBe(`warn: the role ${service} can change the audit log`);
    const { user } = database.target;
    const superuser = { DATABASE_URL: urlOf(database.target) };
    expect(await problemOf('rights', superuser)).toBe(`warn: the role ${user} is a superuser`);
    const owner = await whileBroken(`GRANT ${user} TO ${service}`, `REVOKE ${user} FROM ${service}`, () =>
      problemOf('rights'),
    );
    expect(owner).toBe(`warn: the role ${service} owns the tables, and can change the audit log`);
  });

  it('reports keys that do not open the stored secrets', async () => {
    expect(await problemOf('keys', { WEBHOOK_SECRET_KEY: OTHER_KEY })).toMatch(
      /^failed: secrets are encrypted with a key that is neither .* \(id [\w-]{8}\)$/,
    );
    const both = { WEBHOOK_SECRET_KEY: OTHER_KEY, WEBHOOK_SECRET_KEY_PREVIOUS: KEY };
    expect(await problemOf('keys', both)).toMatch(/^warn: the instances still encrypt with/);
    const [{ config } = { config: '' }] = await database.query<{ config: string }>(
      'SELECT config FROM agent_configs',
    );
    const store = (text: string) => `UPDATE agent_configs SET config = '${text}'`;
    const changed = store(`${config.slice(0, -4)}AAAA`);
    expect(await whileBroken(changed, store(config), () => problemOf('keys'))).toBe(
      "failed: these can't be decrypted: 1 configs of agents",
    );
    const clear = await onNewDatabase(undefined, (url) =>
      problemOf('keys', { DATABASE_URL: url, WEBHOOK_SECRET_KEY: '', NODE_ENV: 'test' }),
    );
    expect(clear).toMatch(/^warn: WEBHOOK_SECRET_KEY is not set/);
  });

  it('reports an address that is not the service, or has another version', async () => {
    relay.decide(() => 'hang-up');
    expect(await problemOf('address', {}, ...polled(relay.url))).toMatch(/^failed: .* can't be reached/);
    relay.decide(() => ({ status: 502, body: 'Bad gateway' }));
    expect(await problemOf('address', {}, ...polled(relay.url))).toMatch(/^failed: .* replied 502/);
    relay.decide(({ path }) => (path === '/health' ? { status: 200, body: '{"version": "0.0.1"}' } : 'pass'));
    expect(await problemOf('address', {}, ...polled(relay.url))).toMatch(
      `has the version 0.0.1, and this program ${version}`,
    );
  });

  it('reports a proxy that ends a poll, and an invalid key', async () => {
    const duringPoll = (verdict: 'hang-up' | { status: number }) =>
      relay.decide(({ path }) => (path.startsWith('/agents/commands?wait=1') ? verdict : 'pass'));
    duringPoll({ status: 504 });
    expect(await problemOf('poll', {}, ...polled(relay.url))).toMatch(/^failed: .* after .* with 504/);
    duringPoll('hang-up');
    expect(await problemOf('poll', {}, ...polled(relay.url))).toMatch(/^failed: .* was cut off after/);
    const refused = { SERVICE_AGENT_KEY: `${agent.key.slice(0, -4)}AAAA` };
    expect(await problemOf('poll', refused, ...polled(app.url))).toMatch(/^failed: .* \(401\)$/);
    expect(await problemOf('poll', { SERVICE_AGENT_KEY: '' }, ...polled(app.url))).toMatch(/not tested/);
    const busy = await createAgent(app, person);
    await deploy(person, busy);
    const early = ['--address', app.url, '--poll-seconds', '60'];
    expect(await problemOf('poll', { SERVICE_AGENT_KEY: busy.key }, ...early)).toMatch(
      /^warn: .* answered after [\d.]+ s, with 1 commands$/,
    );
  });

  it('writes a bundle for support without secrets, readable only by its owner', async () => {
    const given = {
      JWT_SECRET: 'sentinel-of-the-token-secret-0123456789',
      JWT_SECRET_PREVIOUS: 'sentinel-of-the-older-secret-0123456789',
      SETUP_TOKEN: 'sentinel-of-the-setup-token-0123456789',
      OIDC_CLIENT_SECRET: 'sentinel-of-the-client',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=sentinel-of-the-collector',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com/?token=sentinel-of-the-query',
      HTTPS_PROXY: 'http://proxy-login:sentinel-of-the-proxy@proxy.example.com:3128',
      ADMIN_EMAILS: 'sentinel@example.com',
      OIDC_ISSUER: 'https://login.example.com',
      OIDC_CLIENT_ID: 'control-plane',
      WEB_PUBLIC_URL: 'https://dashboard.example.com',
    };
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
    try {
      const path = join(folder, 'bundle.json');
      const { code } = await examine(given, '--bundle', path);
      expect([code, (await stat(path)).mode & 0o777]).toEqual([0, 0o600]);
      const text = await readFile(path, 'utf8');
      expectNoSecretIn('the bundle', text);
      for (const secret of ['sentinel', PASSWORD, KEY, agent.key, 'proxy-login', person.email])
        expect(text).not.toContain(secret);
      const bundle = JSON.parse(text);
      expect(bundle.settings).toMatchObject({
        DATABASE_POOL_SIZE: 4,
        JWT_SECRET: 'set',
        OIDC_ISSUER: 'https://login.example.com/',
        HTTPS_PROXY: 'http://proxy.example.com:3128/',
      });
      expect(bundle.database.tables).toContainEqual(expect.objectContaining({ name: 'agents' }));
      expect(bundle.findings).toContainEqual(expect.objectContaining({ check: 'keys', status: 'ok' }));
      expect(Object.values(bundle.database).filter((it) => 'error' in (it as object))).toEqual([]);
      const again = await examine({}, '--bundle', path);
      expect([again.code, again.errors]).toEqual([2, expect.stringContaining('EEXIST')]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is a command of the image, whose lines are for people', async () => {
    const child = spawn(process.execPath, ['deploy/image-commands.mjs', 'doctor'], {
      env: { PATH: process.env.PATH, PORT: 'none' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    expect(output).toMatch(/^failed {2}settings {2}Invalid settings: PORT: .*\n {18}-> correct them/);
    expect([code, output]).toEqual([1, expect.stringMatching(/\n\n1 checks: 1 failed, 0 with a warning\n$/)]);
    expect(await examine({}, '--poll-seconds', '61')).toMatchObject({ code: 2 });
  });
});
