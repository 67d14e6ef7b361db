import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { urlOf } from '../harness/child-service.js';
import { collectSecrets, printedBy } from '../harness/secrets-made.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { runAudit } from './run-audit.js';

/** Runs the image's command as an operator would. */
async function runProcess(environment: Record<string, string>, ...options: string[]) {
  const child = spawn(process.execPath, ['dist/src/audit/main.js', ...options], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  collectSecrets(environment);
  printedBy('the output of the audit', child);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { output, errors, code };
}

const ownUser = `WITH account AS (
    INSERT INTO users (id, email, password_hash, is_admin) VALUES (make_uuidv7(), 'a@example.com', 'x', true) RETURNING id
  ), project AS (
    INSERT INTO projects (id, name, is_personal, created_by) SELECT id, 'Personal', true, id FROM account
  )
  INSERT INTO project_members (user_id, project_id, source, role) SELECT id, id, 'direct', 'owner' FROM account`;

describe('The command of the image', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  it('exits with 0 and a message if every invariant holds', async () => {
    await database.query(ownUser);
    const { output, errors, code } = await runProcess({ DATABASE_URL: urlOf(database.target) });
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/^Database test_\w+ as of [\d:T.-]+Z; no service is connected/);
    expect(output).toMatch(/^ok {9}history-without-gaps$/m);
    expect(output).toMatch(/\n(\d+) of \1 invariants hold, 0 do not, 0 could not be checked\n$/);
  });

  it('exits with 1 and names the invariant and the violating rows if an invariant is violated', async () => {
    await database.query(`${ownUser}; UPDATE users SET is_active = false`);
    const { output, code } = await runProcess({ DATABASE_URL: urlOf(database.target) });
    expect(code).toBe(1);
    expect(output).toMatch(
      /^OFFENDED {3}somebody-is-operator: 1\n {11}Where there are operators,.*\n {11}no active operator$/m,
    );
    const asJson = await runAudit({ DATABASE_URL: urlOf(database.target) }, '--json');
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.output).findings).toContainEqual({
      name: 'somebody-is-operator',
      sentence: 'Where there are operators, at least one of them is active.',
      count: 1,
      ids: ['no active operator'],
    });
  });

  it('needs only the right to read', async () => {
    const role = `reader_${randomBytes(6).toString('hex')}`;
    await database.query(`CREATE ROLE ${role} LOGIN IN ROLE pg_read_all_data`);
    try {
      const url = urlOf({ ...database.target, user: role });
      const { output, code } = await runAudit({ DATABASE_URL: url });
      expect([code, output]).toEqual([0, expect.stringContaining(' 0 could not be checked')]);
    } finally {
      await database.query(`DROP ROLE ${role}`);
    }
  });

  it('exits with 2 and names the unfinished checks if some can not be finished, and does the others', async () => {
    await database.query('ALTER TABLE agent_metrics RENAME TO elsewhere');
    const { output, code } = await runAudit({ DATABASE_URL: urlOf(database.target) });
    expect(code).toBe(2);
    expect(output).toMatch(/^UNCHECKED {2}agent-metrics-agent-id-exists: relation "agent_metrics" does not/m);
    expect(output).toMatch(/ 0 do not, 1 could not be checked\n$/);
  });
});

describe('The command of the image without a usable database', () => {
  it.each<[string, Record<string, string>, string[], RegExp]>([
    [
      'no database answers',
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' },
      [],
      /^The database can't be audited: .*ECONNREFUSED.*\n$/,
    ],
    ['a setting is bad', { DATABASE_URL: 'mysql://x' }, [], /^Invalid settings: DATABASE_URL: [^\n]+\n$/],
    ['an option is unknown', {}, ['--fast'], /^Unknown option '--fast'[^]+Usage: npm run audit:data/],
    ['a limit is out of bounds', {}, ['--statement-seconds', '0'], /^--statement-seconds 0 is not a whole/],
  ])('exits with 2 and one message if %s', async (_, environment, options, message) => {
    const { output, errors, code } = await runAudit(environment, ...options);
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(message);
  });
});
