import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rules of style, and a limit that a migration must not have, because it may take long. */
const LEFT_OUT_RULES = [
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'prefer-identity',
  'prefer-text-field',
  'require-statement-timeout',
];

/** Statements that Squawk accepts, although they write or lock every row of a table. */
const EVERY_ROW = /^(UPDATE|DELETE|TRUNCATE|INSERT\s(?!.*\bVALUES\b)|VACUUM\s+\(?FULL|CLUSTER)/is;
const ROWS_MARKER = /^-- rows: \S+/m;
/** A rule that is switched off for one statement, without a comment with the reason above. */
const IGNORED_WITHOUT_REASON = /(?<!^-- (?!squawk-ignore)\S[^\n]*\n)^-- squawk-ignore/m;

export interface MigrationSql {
  readonly name: string;
  readonly statements: readonly string[];
  /** True unless the migration declares otherwise. */
  readonly isTransactional: boolean;
}

/** The statements of a migration, recorded by running it on a connection without a server. */
export async function sqlOf(type: new () => MigrationInterface): Promise<MigrationSql> {
  const statements: string[] = [];
  const query = async (statement: string) => {
    statements.push(statement);
    // All that a migration reads is the name of its schema.
    return [{ schema: 'public' }];
  };
  const migration = new type();
  await migration.up({ query } as unknown as QueryRunner);
  return { name: type.name, statements, isTransactional: migration.transaction !== false };
}

/** @returns unsafe statements while the previous version still runs: `<migration>: <rule>: <statement>`, in no order */
export async function lintMigrations(migrations: readonly MigrationSql[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'migration-lint-'));
  try {
    const parts = Map.groupBy(migrations, ({ isTransactional }) => isTransactional);
    const found = await Promise.all([...parts.values()].map((part) => squawk(folder, part)));
    return [...found.flat(), ...migrations.flatMap(ownFindings)];
  } finally {
    await rm(folder, { recursive: true });
  }
}

function ownFindings({ name, statements }: MigrationSql): string[] {
  return statements.flatMap((statement) => {
    const withoutComments = statement.replace(/^(\s*--[^\n]*\n)+/, '').trimStart();
    return [
      ...(EVERY_ROW.test(withoutComments) && !ROWS_MARKER.test(statement) ? ['every-row'] : []),
      ...(IGNORED_WITHOUT_REASON.test(statement) ? ['ignored-without-reason'] : []),
    ].map((rule) => `${name}: ${rule}: ${withoutComments}`);
  });
}

async function squawk(folder: string, migrations: readonly MigrationSql[]): Promise<string[]> {
  const files = migrations.map(({ name }) => join(folder, `${name}.sql`));
  for (const [index, { statements }] of migrations.entries())
    await writeFile(files[index]!, statements.map((statement) => `${statement};\n`).join(''));
  const inTransaction = migrations[0]?.isTransactional ? ['--assume-in-transaction'] : [];
  const options = ['--reporter', 'json', '--pg-version', '14', '--exclude', LEFT_OUT_RULES.join(',')];
  const { stdout, stderr, error } = spawnSync(
    'node_modules/.bin/squawk',
    [...options, ...inTransaction, ...files],
    { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 },
  );
  if (error) throw error;
  if (!stdout.startsWith('[')) throw new Error(`squawk: ${stderr}`);
  const findings: { file: string; line: number; rule_name: string }[] = JSON.parse(stdout);
  return findings.map(({ file, line, rule_name }) => {
    const { name, statements } = migrations[files.indexOf(file)]!;
    const text = statements
      .map((statement) => `${statement};`)
      .join('\n')
      .split('\n')[line]!;
    return `${name}: ${rule_name}: ${text.trim().replace(/;$/, '')}`;
  });
}
