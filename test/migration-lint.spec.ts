import { migrations } from '../src/schema-migrations.js';
import { lintMigrations, sqlOf } from './harness/migration-lint.js';

/**
 * Migrations with an earlier timestamp create the schema of the first release. No version runs alongside that one which
 * could be locked out or miss a column.
 */
const FIRST_CHECKED = 1_790_003_000_000;

const TIMEOUT = "SET LOCAL lock_timeout = '2s'";

const migrationOf = (statements: readonly string[], name = 'M') => ({
  name,
  statements: [TIMEOUT, ...statements],
  isTransactional: true,
});

/** @returns the rules that the statements violate, in no order */
async function lint(statements: readonly string[], isTransactional = true): Promise<string[]> {
  const findings = await lintMigrations([{ ...migrationOf(statements), isTransactional }]);
  return findings.map((finding) => finding.split(': ')[1]!);
}

/** A statement, and the rule that it violates. */
const REFUSED = [
  ['CREATE INDEX x_a ON x (a)', 'require-concurrent-index-creation'],
  ['ALTER TABLE x ADD COLUMN a timestamptz DEFAULT clock_timestamp()', 'adding-field-with-default'],
  ['ALTER TABLE x ADD COLUMN a bigint NOT NULL', 'adding-required-field'],
  ['ALTER TABLE x ALTER COLUMN a TYPE bigint', 'changing-column-type'],
  ['ALTER TABLE x ALTER COLUMN a SET NOT NULL', 'adding-not-nullable-field'],
  ['ALTER TABLE x ALTER COLUMN a DROP NOT NULL', 'ban-drop-not-null'],
  ['ALTER TABLE x ADD CONSTRAINT x_a_check CHECK (a > 0)', 'constraint-missing-not-valid'],
  ['ALTER TABLE x ADD CONSTRAINT x_a_key UNIQUE (a)', 'disallowed-unique-constraint'],
  ['ALTER TABLE x DROP COLUMN a', 'ban-drop-column'],
  ['ALTER TABLE x RENAME COLUMN a TO b', 'renaming-column'],
  ['ALTER TABLE x RENAME TO y', 'renaming-table'],
  ['DROP TABLE x', 'ban-drop-table'],
  ['DROP INDEX x_a', 'require-concurrent-index-deletion'],
  ['UPDATE x SET a = 1', 'every-row'],
  ['-- Filled later.\nINSERT INTO y SELECT * FROM x', 'every-row'],
  ['REINDEX TABLE x', 'require-concurrent-reindex'],
  ['CLUSTER x', 'every-row'],
  ['-- squawk-ignore ban-drop-column\nALTER TABLE x DROP COLUMN a', 'ignored-without-reason'],
  ['ALTER TABLE x ADD', 'syntax-error'],
] as const;

describe('The lint of migrations', () => {
  let findings: readonly string[];

  // all at once, because each run of the linter is a process
  beforeAll(async () => {
    findings = await lintMigrations(
      REFUSED.map(([statement], index) => migrationOf([statement], `M${index}`)),
    );
  });

  it.each(REFUSED.map(([statement, rule], index) => ({ statement, rule, name: `M${index}` })))(
    'refuses the statement $statement',
    ({ rule, name }) => {
      expect(findings.filter((finding) => finding.startsWith(`${name}: ${rule}: `))).not.toEqual([]);
    },
  );

  it('refuses ALTER TABLE in a migration that sets no lock_timeout', async () => {
    const statements = ['ALTER TABLE x ADD COLUMN a text'];
    expect(await lintMigrations([{ name: 'M', statements, isTransactional: true }])).toEqual([
      'M: require-lock-timeout: ALTER TABLE x ADD COLUMN a text',
    ]);
  });

  it('accepts statements that take no long lock, and dangerous ones with a written reason', async () => {
    expect(
      await lint([
        'CREATE TABLE y (id uuid CONSTRAINT y_pkey PRIMARY KEY, a integer NOT NULL)',
        'CREATE INDEX y_a_idx ON y (a)',
        "INSERT INTO y (id, a) VALUES ('00000000-0000-0000-0000-000000000000', 1)",
        "ALTER TABLE x ADD COLUMN a text NOT NULL DEFAULT 'none'",
        'ALTER TABLE x ADD CONSTRAINT x_a_check CHECK (a > 0) NOT VALID',
        '-- No version since 0.3 reads it.\n-- squawk-ignore ban-drop-column\nALTER TABLE x DROP COLUMN b',
        '-- rows: at most a few hundred accounts\nUPDATE users SET a = 1',
      ]),
    ).toEqual([]);
    const concurrently = [
      'DROP INDEX CONCURRENTLY IF EXISTS x_a_idx',
      'CREATE INDEX CONCURRENTLY IF NOT EXISTS x_a_idx ON x (a)',
    ];
    expect(await lint(concurrently, false)).toEqual([]);
    expect(await lint(concurrently)).toContain('ban-concurrent-index-creation-in-transaction');
  });
});

it('The migration lint reads the statements of a migration from its code', async () => {
  const [findDeployments] = await Promise.all(
    migrations.filter(({ name }) => name.startsWith('FindLostDeployments')).map(sqlOf),
  );
  expect(findDeployments?.statements).toHaveLength(2);
  expect(await lintMigrations([findDeployments!])).toHaveLength(3);
});

it('The migrations pass the lint, so the previous version can run beside them', async () => {
  const checked = migrations.filter(({ name }) => Number(name.slice(-13)) >= FIRST_CHECKED);
  expect(await lintMigrations(await Promise.all(checked.map(sqlOf)))).toEqual([]);
});
