import { jest } from '@jest/globals';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { migrate } from '../src/database/migrate.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { migrations } from '../src/schema-migrations.js';
import { entities } from '../src/schema.js';
import { grantToServiceRole } from '../src/service-role.js';
import { createAgent, deploy } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { withAdmin } from './harness/cluster.mjs';
import { whileHeld } from './harness/held-lock.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

jest.setTimeout(60_000);

let database: TestDatabase;
let app: TestApp;
let person: Person;
let owner: string;
let service: string;

/** Does the same as deploy/database-roles.sh, and deploy/compose.yaml's `migrate` after it. */
beforeAll(async () => {
  database = await createTestDatabase('template0');
  const { database: name } = database.target;
  [owner, service] = [`${name}_owner`, `${name}_service`];
  await withAdmin(async (admin) => {
    await admin.query(`CREATE ROLE ${owner} LOGIN`);
    await admin.query(`CREATE ROLE ${service} LOGIN`);
    await admin.query(`GRANT ${service} TO ${owner}`);
    await admin.query(`ALTER DATABASE ${name} OWNER TO ${owner}`);
    await admin.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
    await admin.query(`GRANT CONNECT ON DATABASE ${name} TO ${service}`);
  });
  await migrateAsOwner();
  const target = { ...database.target, user: service };
  app = await startTestApp({ database: { ...database, target }, settings: { AUDIT_RETENTION_DAYS: '90' } });
  await registerOperator(app);
  person = await registerPerson(app);
});

afterAll(async () => {
  await app.close();
  await database.drop();
  await withAdmin(async (admin) => {
    await admin.query(`DROP ROLE ${owner}`);
    await admin.query(`DROP ROLE ${service}`);
  });
});

async function migrateAsOwner(): Promise<void> {
  const target = { ...database.target, user: owner };
  await migrate({ target, entities, migrations });
  await connected(owner, (client) => grantToServiceRole(client, service));
}

async function connected<T>(user: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...database.target, user });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The command that the message of a start without the right schema names. */
const migrateAsTheOwner = () =>
  `run node dist/src/migrate.js --service-role ${service} as the owner of the tables`;

/** Inserts an entry as the superuser, so many days old. */
const insertOld = (days: number) =>
  database.query(
    `INSERT INTO audit_log (id, at, actor, action, target_type, outcome, details)
     VALUES ($2, now() - make_interval(days => $1::int), 'service', 'user.invite', 'user', 'success', '{}')`,
    [days, uuidv7({ msecs: Date.now() - days * 86_400_000 })],
  );

describe('A service whose role does not own its tables', () => {
  it('serves agents, deployments, logs, metrics, webhooks and the audit log', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    expect((await agent.runtime.post('/agents/heartbeat', {})).status).toBe(200);
    expect((await agent.runtime.get('/agents/commands')).body.commands).toHaveLength(1);
    expect((await agent.runtime.post('/agents/logs', { level: 'info', message: 'x' })).status).toBe(200);
    expect((await agent.runtime.post('/agents/metrics', { cpu_usage: 1 })).status).toBe(200);
    expect((await person.api.get(`/agents/${agent.id}/logs`)).body).toHaveLength(1);
    expect((await person.api.post('/webhooks', { url: 'https://192.88.99.1/' })).status).toBe(422);
    expect((await person.api.delete(`/deployments/${id}`)).status).toBe(204);
    expect((await app.api.post('/newsletter', { email: 'a@example.com' })).status).toBe(200);
    expect((await person.api.get('/audit?action=agent.create')).body).toHaveLength(1);
    expect((await person.api.delete(`/agents/${agent.id}`)).status).toBe(204);
  });

  it.each([
    'UPDATE audit_log SET actor = actor',
    "DELETE FROM audit_log WHERE at < now() - interval '40 days'",
    'TRUNCATE audit_log',
    "INSERT INTO audit_chain (day, number, entry_id, hash) VALUES (now(), 1, make_uuidv7(), '')",
    'UPDATE audit_chain SET number = 7',
    "DELETE FROM audit_chain WHERE day < now() - interval '40 days'",
    'TRUNCATE audit_chain',
    'ALTER TABLE audit_log DISABLE TRIGGER ALL',
    'DROP TABLE audit_log',
    'CREATE TRIGGER mine BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()',
    'CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$',
    'INSERT INTO migrations (timestamp, name) VALUES (1, $$x$$)',
    'ALTER TABLE agents ADD COLUMN mine text',
  ])('has no right to: %s', async (statement) => {
    await expect(connected(service, (client) => client.query(statement))).rejects.toMatchObject({
      message: expect.stringMatching(/permission denied|must be owner/),
    });
  });

  it('is no superuser and has no more powerful role', async () => {
    const [row] = await database.query(
      `SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls,
         (SELECT count(*)::int FROM pg_auth_members WHERE member = pg_roles.oid) AS memberships
       FROM pg_roles WHERE rolname = $1`,
      [service],
    );
    expect(Object.values(row!)).toEqual([false, false, false, false, 0]);
  });

  it('deletes old entries of the audit log, and none of the last 30 days', async () => {
    for (const days of [200, 100, 60]) await insertOld(days);
    await app.app.get(PeriodicJobs).runOnce('auditRetention');
    const ages = () =>
      database.query<{ days: number }>(
        `SELECT (extract(epoch FROM now() - at) / 86400)::int AS days FROM audit_log WHERE action = 'user.invite'`,
      );
    expect((await ages()).map(({ days }) => days)).toEqual([60]);
    const early = connected(service, (client) => client.query('SELECT delete_old_audit_entries(0, 100)'));
    await expect(early).rejects.toThrow('The audit log is append-only');
  });

  it('links the entries of the audit log, and deletes only the links of old days', async () => {
    const jobs = app.app.get(PeriodicJobs);
    const days = async () =>
      (
        await database.query<{ age: number }>(
          `SELECT DISTINCT (now() AT TIME ZONE 'UTC')::date - day AS age FROM audit_chain ORDER BY age`,
        )
      ).map(({ age }) => age);
    await until(async () => (await jobs.runOnce('auditChain')) && (await days()).length > 0);
    for (const age of [100, 80]) {
      // As if those of today had been linked some days ago.
      await database.query(`SET session_replication_role = replica;
        UPDATE audit_chain SET day = day - ${age} WHERE day >= (now() AT TIME ZONE 'UTC')::date`);
      await createAgent(app, person);
      await until(async () => (await jobs.runOnce('auditChain')) && (await days()).includes(0));
    }
    expect(await days()).toEqual([0, 80, 100]);
    await until(() => jobs.runOnce('auditRetention'));
    expect(await days()).toEqual([0, 80]);
  });

  it('creates and drops partitions of logs and metrics', async () => {
    const partitions = async () => {
      const rows = await database.query<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits
         WHERE inhparent = 'agent_logs'::regclass ORDER BY name`,
      );
      return rows.map(({ name }) => name);
    };
    await until(() => app.app.get(PeriodicJobs).runOnce('telemetryRetention'));
    const before = await partitions();
    const [latest] = before.filter((name) => /_p\d+$/.test(name)).slice(-1);
    await connected(service, async (client) => {
      await client.query(`CREATE TABLE agent_logs_p20200101 PARTITION OF agent_logs
        FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`);
      await client.query(`DROP TABLE ${latest!}`);
    });
    await until(async () => {
      await app.app.get(PeriodicJobs).runOnce('telemetryRetention');
      return JSON.stringify(await partitions()) === JSON.stringify(before);
    });
  });

  it('refuses to start with instructions when the schema is older than its version, and otherwise starts', async () => {
    const target = { ...database.target, user: service };
    const settings = { target, entities };
    await migrate({ ...settings, migrations });
    class Later1999999999999 {
      up = () => Promise.resolve();
      down = () => Promise.resolve();
    }
    const later = migrate({ ...settings, migrations: [...migrations, Later1999999999999] });
    await expect(later).rejects.toThrow(migrateAsTheOwner());
    await migrateAsOwner();
  });

  it('refuses to start with the same instructions before its owner has migrated, and before it has any rights', async () => {
    const empty = await createTestDatabase('template0');
    const start = () =>
      migrate({ target: { ...empty.target, user: service }, poolSize: 2, entities, migrations });
    try {
      await empty.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
      await expect(start()).rejects.toThrow(migrateAsTheOwner());
      await migrate({ target: empty.target, poolSize: 2, entities, migrations });
      await expect(start()).rejects.toThrow(migrateAsTheOwner());
    } finally {
      await empty.drop();
    }
  });

  it('gets its rights from several programs at once while its tables are in use', async () => {
    await whileHeld(database, 'LOCK TABLE agent_logs IN ACCESS SHARE MODE', async () => {
      await Promise.all([1, 2, 3, 4].map(() => migrateAsOwner()));
    });
  });

  it('can not be given to a superuser', async () => {
    const grant = connected(owner, (client) => grantToServiceRole(client, database.target.user));
    await expect(grant).rejects.toThrow(/is a superuser/);
  });
});
