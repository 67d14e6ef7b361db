import { randomBytes } from 'node:crypto';
import { migrate } from '../../src/database/migrate.js';
import { moveDatabaseCommand } from '../../src/move-database-command.js';
import { migrations } from '../../src/schema-migrations.js';
import { entities } from '../../src/schema.js';
import { playStory } from '../audit/story.js';
import { GOOD_PASSWORD, registerPerson } from '../builders/people.js';
import { Stage } from '../faults/embedded-postgres-stage.js';
import { urlOf } from '../harness/child-service.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { withAdmin } from '../harness/cluster.mjs';
import { expectNoSecretIn } from '../harness/secrets-made.js';
import { startTestApp } from '../harness/test-app.js';
import { createTestDatabase, type TestDatabase, testDatabaseAt } from '../harness/test-database.js';

const stage = new Stage();
const role = `mover_${randomBytes(6).toString('hex')}`;
let target: TestDatabase;

beforeAll(async () => {
  target = await createTestDatabase('template0');
  await target.query(`CREATE ROLE ${role} LOGIN`);
});

afterAll(async () => {
  await stage.clear();
  await target.drop();
  await withAdmin((admin) => admin.query(`DROP ROLE ${role}`));
});

/** Runs the command in this process, as a role that is no superuser's. */
async function move(settings: Record<string, string> = {}) {
  let [output, errors] = ['', ''];
  const streams = {
    stdout: { write: (text: string) => (output += text) },
    stderr: { write: (text: string) => (errors += text) },
  };
  const environment = {
    DATA_DIR: stage.dataDir,
    DATABASE_URL: urlOf({ ...target.target, user: role }),
    ...settings,
  };
  const code = await moveDatabaseCommand([], streams, environment);
  expectNoSecretIn('the output of the move', output + errors);
  return { code, output, errors };
}

/** Runs a statement in the embedded database, which runs for this alone. */
async function changeSource(statement: string): Promise<void> {
  const { connection } = await stage.start();
  const source = testDatabaseAt(connection, () => stage.stopAll());
  await source.query(statement);
  await source.drop();
}

/** A digest of each table's rows, without the numbers of transactions. */
async function contentOf({ query }: Pick<TestDatabase, 'query'>): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
     ORDER BY 1`,
  );
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await query<{ count: string; digest: string }>(
      `SELECT count(*), md5(string_agg(row::text, chr(10) ORDER BY row::text)) AS digest
       FROM (SELECT to_jsonb(t) - 'transaction_id' AS row FROM ${name} AS t) AS t`,
    );
    digests[name] = `${row!.count} rows, ${row!.digest}`;
  }
  return digests;
}

it('exits with 2 and the reason if there is no embedded database, or no address', async () => {
  expect(await move()).toEqual({
    code: 2,
    output: '',
    errors: `DATA_DIR ${stage.dataDir} has no embedded database: set DATA_DIR to the service's\n`,
  });
  const { errors } = await move({ DATABASE_URL: '' });
  expect(errors).toBe('Invalid settings: DATABASE_URL: is required here\n');
});

describe('The embedded database of a service with all kinds of rows', () => {
  let content: Record<string, string>;
  let email: string;

  beforeAll(async () => {
    const { connection } = await stage.start();
    const database = testDatabaseAt(connection, async () => undefined);
    const story = await playStory({ database });
    ({ email } = await registerPerson(story.app));
    await database.query('SELECT chain_audit_entries(1000)');
    await story.close();
    content = await contentOf(database);
    await database.drop();
  });

  it('is not moved while its service runs', async () => {
    const { code, errors } = await move();
    expect([code, errors]).toEqual([2, expect.stringContaining('Another running service uses')]);
    await stage.stopAll();
  });

  it('is not moved by a role that may not create tables', async () => {
    const { code, errors } = await move();
    expect(code).toBe(2);
    expect(errors).toContain(`Run GRANT USAGE, CREATE ON SCHEMA public TO ${role}`);
    await target.query(`GRANT USAGE, CREATE ON SCHEMA public TO ${role}`);
  });

  it('is moved only by the version that ran on it last', async () => {
    const newest = migrations.at(-1)!.name;
    await changeSource(`UPDATE migrations SET name = 'Other' WHERE name = '${newest}'`);
    const { code, errors } = await move();
    expect([code, errors]).toEqual([2, expect.stringContaining('has the tables of another version')]);
    await changeSource(`UPDATE migrations SET name = '${newest}' WHERE name = 'Other'`);
  });

  it('is not moved without its telemetry, where that has a database of its own', async () => {
    const { code, errors } = await move({ TELEMETRY_DATABASE_URL: 'postgres://telemetry.example.com/other' });
    expect([code, errors]).toEqual([2, expect.stringContaining('run it without that setting')]);
  });

  it.each([
    [
      'tables of another program',
      `CREATE TABLE notes (); ALTER TABLE notes OWNER TO ${role}`,
      'tables that this version did not create: notes',
    ],
    ['tables of another role', 'CREATE TABLE notes ()', 'belong to another role: notes'],
  ])('is not moved into a database with %s', async (_, statement, message) => {
    await target.query(statement);
    const { code, errors } = await move();
    await target.query('DROP TABLE notes');
    expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
  });

  it('is moved again completely after a copy that failed, and stays unchanged', async () => {
    await migrate({ target: { ...target.target, user: role }, entities, migrations });
    await target.query('ALTER TABLE users ADD CONSTRAINT nobody_comes CHECK (false)');
    const failed = await move();
    expect([failed.code, failed.errors]).toEqual([
      2,
      expect.stringMatching(/^Nothing was moved: .*nobody_comes/),
    ]);
    expect(await target.query('SELECT FROM agents')).toEqual([]);
    await target.query('ALTER TABLE users DROP CONSTRAINT nobody_comes');

    const { code, output, errors } = await move();
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/^\d+ rows of \d+ tables were copied, and counted in both databases$/m);
    expect(output).toMatch(/^ {2}DATABASE_URL {12}as for this command$/m);
    const { connection } = await stage.start();
    const source = testDatabaseAt(connection, () => stage.stopAll());
    expect(await contentOf(source)).toEqual(content);
    await source.drop();
    expect(await contentOf(target)).toEqual(content);
    for (const table of ['audit_chain', 'deployment_events', 'runs'])
      expect(content[table]).toMatch(/^[1-9]/);
    await expectCleanAudit(target);
  });

  it('is served from where it was moved to, and is not moved there twice', async () => {
    const app = await startTestApp({ database: target, target: { ...target.target, user: role } });
    const login = await app.api.post('/auth/login', { email, password: GOOD_PASSWORD });
    expect(login.status).toBe(200);
    await app.close();
    const { code, errors } = await move();
    expect([code, errors]).toEqual([2, expect.stringMatching(/has rows in .*: name an empty database/)]);
  });
});
