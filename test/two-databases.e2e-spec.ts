import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { readSettings } from '../src/config/settings.js';
import { boundsOf } from '../src/audit/audit.js';
import { auditTwo } from '../src/audit/telemetry-audit.js';
import { distributeTelemetry } from '../src/distribute-telemetry.js';
import { migrations } from '../src/schema-migrations.js';
import { telemetryMigrations } from '../src/telemetry-schema.js';
import { runAudit } from './audit/run-audit.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { registerOperator, registerPerson } from './builders/people.js';
import { ask, claim, createWorker } from './builders/runs.js';
import { urlOf } from './harness/child-service.js';
import { withAdmin } from './harness/cluster.mjs';
import { resealSecrets } from './harness/reseal-secrets.js';
import { runDoctor } from './harness/run-doctor.js';
import { startTestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';

const KEY = 'a key for tests of two databases, long enough';
const NOBODY = '0192f0c7-3c1e-7000-8000-000000000000';
/** Stands in for Citus, which this PostgreSQL has not: its view of what is spread, and the function that spreads. */
const STAND_IN = `CREATE TABLE spread (number serial, table_name regclass PRIMARY KEY, distribution_column text, beside text);
  CREATE VIEW citus_tables AS SELECT table_name, distribution_column FROM spread;
  CREATE FUNCTION create_distributed_table(what regclass, by text, colocate_with text) RETURNS void LANGUAGE sql
    AS 'INSERT INTO spread (table_name, distribution_column, beside) VALUES (what, by, colocate_with)'`;

let main: TestDatabase;
let telemetry: TestDatabase;
let role: string;
/** As the service's role. */
let urls: { DATABASE_URL: string; TELEMETRY_DATABASE_URL: string };
let agent: TestAgent;
let other: TestAgent;
let runId: string;

/** Runs the command `migrate` as the owner of the tables. */
async function runMigrate(environment: Record<string, string>, ...options: string[]) {
  const child = spawn(process.execPath, ['dist/src/migrate.js', ...options], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { output, errors, code: code as number | null };
}

async function connected<T>(database: TestDatabase, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(database.target);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const owner = () => ({ DATABASE_URL: urlOf(main.target), TELEMETRY_DATABASE_URL: urlOf(telemetry.target) });

const insertLog = (agentId: string, run: string | null = null) =>
  telemetry.query(
    `INSERT INTO agent_logs (agent_id, timestamp, id, run_id, level, message, position)
     VALUES ($1, now(), gen_random_uuid(), $2, 'info', 'x', 1)`,
    [agentId, run],
  );

beforeAll(async () => {
  main = await createTestDatabase();
  telemetry = await createTestDatabase('template0');
  role = `${main.target.database}_service`;
  await withAdmin((admin) => admin.query(`CREATE ROLE ${role} LOGIN`));
  expect(await runMigrate(owner(), '--service-role', role)).toEqual({ code: 0, output: '', errors: '' });
  const as = ({ target }: TestDatabase) => urlOf({ ...target, user: role });
  urls = { DATABASE_URL: as(main), TELEMETRY_DATABASE_URL: as(telemetry) };
  const app = await startTestApp({ database: main });
  await registerOperator(app);
  const person = await registerPerson(app);
  [agent, other] = [await createWorker(app, person), await createAgent(app, person)];
  ({ id: runId } = await ask(person, agent));
  await claim(agent, { limit: 1 });
  await app.close();
  await insertLog(agent.id, runId);
  await telemetry.query('INSERT INTO agent_log_positions VALUES ($1, 1)', [agent.id]);
  await telemetry.query(
    `INSERT INTO agent_span_contents VALUES ($1, now(), gen_random_uuid(), '{"attributes":{}}')`,
    [agent.id],
  );
});

afterAll(async () => {
  await main.drop();
  await telemetry.drop();
  await withAdmin((admin) => admin.query(`DROP ROLE ${role}`));
});

describe('The command migrate, with telemetry in a database of its own', () => {
  it('makes the tables of both, and gives the role of the service its rights in both', async () => {
    expect(await main.query('SELECT FROM migrations')).toHaveLength(migrations.length);
    expect(await telemetry.query('SELECT FROM migrations')).toHaveLength(telemetryMigrations.length);
    const [rights] = await telemetry.query(
      `SELECT has_table_privilege($1, 'agent_logs', 'INSERT') AS writes, has_table_privilege($1, 'migrations', 'INSERT') AS migrates,
         (SELECT relowner = $1::regrole FROM pg_class WHERE oid = 'agent_logs_default'::regclass) AS parts`,
      [role],
    );
    expect(rights).toEqual({ writes: true, migrates: false, parts: true });
  });

  it('ends with one line and 1 when tables are to be spread without Citus or without such a database', async () => {
    expect(await runMigrate(owner(), '--distribute')).toEqual({
      code: 1,
      output: '',
      errors:
        'TELEMETRY_DATABASE_URL names a database without the extension citus: create it there and on its workers first\n',
    });
    expect(await runMigrate({ DATABASE_URL: urlOf(main.target) }, '--distribute')).toEqual({
      code: 1,
      output: '',
      errors: 'Invalid settings: TELEMETRY_DATABASE_URL: is required for --distribute\n',
    });
  });

  it('spreads each table of an agent once, next to the first one, and has the agent in each of its unique indexes', async () => {
    const spread = async () => {
      const told: string[] = [];
      await connected(telemetry, (client) => distributeTelemetry(client, (table) => told.push(table)));
      return told;
    };
    await telemetry.query(STAND_IN);
    try {
      await telemetry.query(
        `INSERT INTO spread (table_name, distribution_column) VALUES ('agent_metrics', 'agent_id')`,
      );
      const told = await spread();
      const rows = await telemetry.query<{ name: string; beside: string }>(
        `SELECT table_name::text AS name, beside FROM spread WHERE beside IS NOT NULL ORDER BY number`,
      );
      expect(rows).toEqual(told.map((name) => ({ name, beside: 'agent_metrics' })));
      const withAgent = await telemetry.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'agent_id'
         WHERE relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
      );
      expect([...told, 'agent_metrics'].sort()).toEqual(withAgent.map(({ name }) => name));
      expect(await spread()).toEqual([]);
      await telemetry.query('TRUNCATE spread');
      await spread();
      const [first] = await telemetry.query('SELECT beside FROM spread ORDER BY number LIMIT 1');
      expect(first).toEqual({ beside: 'none' });
      const unfit = await telemetry.query(
        `SELECT indexrelid::regclass::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attname = 'agent_id'
         WHERE indisunique AND NOT attnum = ANY (indkey)`,
      );
      expect(unfit).toEqual([]);
    } finally {
      await telemetry.query(
        'DROP FUNCTION create_distributed_table; DROP VIEW citus_tables; DROP TABLE spread',
      );
    }
  });
});

describe('The audit of two databases', () => {
  it('finds no violation, and checks as many invariants as that of one', async () => {
    const two = await runAudit(urls, '--json');
    expect([two.code, two.errors]).toEqual([0, '']);
    const one = await runAudit({ DATABASE_URL: urls.DATABASE_URL }, '--json');
    const namesOf = ({ output }: { output: string }) =>
      JSON.parse(output)
        .findings.map(({ name }: { name: string }) => name)
        .sort();
    expect(namesOf(two)).toEqual(namesOf(one));
  });

  it.each<[string, string, (id: string) => Promise<unknown>]>([
    ['agent-logs-agent-id-exists', 'logs of an agent that is not there', () => insertLog(NOBODY)],
    ['logs-of-own-runs', "a log entry with another agent's run", (run) => insertLog(other.id, run)],
    [
      'log-lines-are-counted',
      'a line beyond the count',
      () => telemetry.query('UPDATE agent_log_positions SET last_position = 0'),
    ],
  ])('names %s: %s', async (name, _, violate) => {
    await violate(runId);
    try {
      const { code, output } = await runAudit(urls, '--json');
      const offended = JSON.parse(output).findings.filter((it: { count: number }) => it.count > 0);
      expect([code, offended.map((it: { name: string }) => it.name)]).toEqual([1, [name]]);
    } finally {
      await telemetry.query('UPDATE agent_log_positions SET last_position = 1');
      await telemetry.query('DELETE FROM agent_logs WHERE agent_id <> $1', [agent.id]);
    }
  });

  it('takes telemetry that is deleted with its agent between two looks for no violation', async () => {
    await insertLog(NOBODY);
    const report = await connected(main, (client) =>
      connected(telemetry, async (second) => {
        const query = second.query.bind(second) as (...statement: unknown[]) => Promise<unknown>;
        second.query = (async (...statement: unknown[]) => {
          const result = await query(...statement);
          if (String(statement[0]).startsWith('FETCH'))
            await telemetry.query('DELETE FROM agent_logs WHERE agent_id = $1', [NOBODY]);
          return result;
        }) as typeof second.query;
        const settings = readSettings({});
        return auditTwo({ main: client, telemetry: second }, { statementSeconds: 60 }, (running) =>
          boundsOf(settings, running),
        );
      }),
    );
    expect(report.findings.filter(({ count }) => count !== 0)).toEqual([]);
  });
});

describe('With telemetry in a database of its own', () => {
  const settings = () => ({ ...urls, NODE_ENV: 'test', DATABASE_POOL_SIZE: '4', WEBHOOK_SECRET_KEY: KEY });
  const problemsOf = async (changes: Record<string, string> = {}) => {
    const { findings } = await runDoctor({ ...settings(), ...changes });
    return findings
      .filter(({ check, status }) => status !== 'ok' && check.startsWith('telemetry'))
      .map(({ check, message }) => `${check}: ${message}`);
  };

  it('resealing reaches the content of spans', async () => {
    const { code, stdout } = await resealSecrets(main, { ...settings(), DATABASE_URL: urlOf(main.target) });
    expect([code, stdout]).toEqual([0, expect.stringContaining(" 0 can't be read")]);
    const [kept] = await telemetry.query<{ content: string }>('SELECT content FROM agent_span_contents');
    expect(kept!.content).not.toContain('attributes');
  });

  it('the doctor checks both, and opens the secrets of the second one', async () => {
    const { findings } = await runDoctor(settings());
    const seen = findings.filter(({ check }) => /^telemetry|^keys/.test(check) && !/connections/.test(check));
    expect(seen.map(({ check, status }) => `${status} ${check}`)).toEqual([
      'ok keys',
      'ok telemetry database',
      'ok telemetry clock',
      'ok telemetry schema',
      'ok telemetry rights',
    ]);
    const sealedElsewhere = { WEBHOOK_SECRET_KEY: `${KEY} and other` };
    const { findings: others } = await runDoctor({ ...settings(), ...sealedElsewhere });
    expect(others.find(({ check }) => check === 'keys')?.status).toBe('failed');
  });

  it('the doctor reports a second database that is away, has no tables, or lacks rights', async () => {
    const away = await problemsOf({ TELEMETRY_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });
    expect(away).toEqual([expect.stringMatching(/^telemetry database: it can't be reached: .*ECONNREFUSED/)]);
    await telemetry.query(`REVOKE INSERT ON agent_log_positions FROM ${role}`);
    expect(await problemsOf()).toEqual([
      `telemetry rights: the role ${role} lacks INSERT on agent_log_positions`,
    ]);
    await telemetry.query(
      `GRANT INSERT ON agent_log_positions TO ${role}; ALTER TABLE migrations RENAME TO old`,
    );
    expect(await problemsOf()).toEqual([
      expect.stringMatching(/^telemetry schema: the database has no tables yet/),
      expect.stringMatching(/^telemetry rights: .*lacks .* on old/),
    ]);
    await telemetry.query('ALTER TABLE old RENAME TO migrations');
  });
});
