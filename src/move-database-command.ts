import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Client, ClientConfig } from 'pg';
import { audit, type AuditReport, boundsOf } from './audit/audit.js';
import { headsOf, missingAmong } from './audit/audit-log-verification.js';
import type { CommandStreams } from './config/command-streams.js';
import { readDatabaseUrl, readSettings, type Settings, SettingsError } from './config/settings.js';
import { withClient } from './config/with-client.js';
import { type DatabaseTarget, unlimitedClientOptions } from './database/data-source-options.js';
import { startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { migrate } from './database/migrate.js';
import { copyTables, lockTables } from './database-move/copied-tables.js';
import { requireEmptyTarget } from './database-move/empty-target.js';
import { failureToOpen, UnusableDatabaseError } from './database/usable-database.js';
import { migrations } from './schema-migrations.js';
import { entities } from './schema.js';

const USAGE =
  `Usage: DATABASE_URL=postgres://user:password@host:5432/name npm run move-database\nCopies the embedded ` +
  `database of DATA_DIR into the empty PostgreSQL (14 or newer) at DATABASE_URL, and changes nothing in the\n` +
  'embedded one. Stop the service first. If DATABASE_URL is the address of a pooler, DATABASE_DIRECT_URL must ' +
  `be the server's.\nExit code: 0 everything was moved, 1 the copy differs from the embedded database, 2 nothing ` +
  'was moved';

const NOT_WHAT_IT_WAS = 1;
const NOTHING_MOVED = 2;
const AUDIT_SECONDS = 600;
/** Not the service's name: the audit would take this program for a service that runs. */
const APPLICATION_NAME = 'control-plane-move';

/** The move can't begin. The message says what to do. */
class MoveError extends Error {}

/**
 * Copies the embedded database to one's own.
 *
 * @param args the command line, without the program
 * @param environment the settings; absent: those of the process
 * @returns the exit code; an error is written to standard error
 */
export async function moveDatabaseCommand(
  args: readonly string[],
  { stdout, stderr }: CommandStreams,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  const tell = (line: string) => stdout.write(`${line}\n`);
  try {
    if (readOptions(args).help) {
      tell(USAGE);
      return 0;
    }
    const settings = readSettings(environment);
    const problems = await move(settings, readDatabaseUrl(environment), tell);
    for (const problem of problems) stderr.write(`${problem}\n`);
    if (problems.length > 0) return NOT_WHAT_IT_WAS;
    tell(nextSteps(settings));
    return 0;
  } catch (error) {
    stderr.write(`${reasonOf(error)}\n`);
    return NOTHING_MOVED;
  }
}

/** @returns the differences that the audit finds */
async function move(settings: Settings, url: string, tell: (line: string) => void): Promise<string[]> {
  const dataDir = resolve(settings.DATA_DIR);
  // The start of an embedded PostgreSQL would make a new one.
  if (!existsSync(join(dataDir, 'postgres')))
    throw new MoveError(`DATA_DIR ${dataDir} has no embedded database: set DATA_DIR to the service's`);
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  try {
    return await withClient(optionsOf(postgres.connection), (source) =>
      withClient(optionsOf({ url }), (target) => new Move(source, target, settings, tell).run(url)),
    );
  } finally {
    await postgres.stop();
  }
}

const KNOWN = migrations.map(({ name }) => name);

class Move {
  constructor(
    private readonly source: Client,
    private readonly target: Client,
    private readonly settings: Settings,
    private readonly tell: (line: string) => void,
  ) {}

  async run(url: string): Promise<string[]> {
    const { source, target } = this;
    await requireCurrentSource(source);
    if (this.settings.TELEMETRY_DATABASE_URL !== '') await requireNoTelemetry(source);
    await requireEmptyTarget(target, KNOWN);
    this.tell('Creating the tables');
    await migrate({ target: { url }, entities, migrations });
    await this.copy();
    this.tell('Checking the copy');
    return this.check().catch((error: unknown) => [
      `The copy is complete, but could not be checked: ${failureToOpen(error)}. Run npm run audit:data on it.`,
    ]);
  }

  private async check(): Promise<string[]> {
    const { source, target } = this;
    await target.query('ANALYZE');
    const [before, after] = [await this.audit(source), await this.audit(target)];
    const lost = await missingAmong(target, await headsOf(source));
    return [
      ...differencesOf(before, after),
      ...(lost.count === 0 ? [] : [`The chain of the audit log lacks ${lost.ids.join(', ')}`]),
    ];
  }

  private async copy(): Promise<void> {
    const { source, target } = this;
    let [rows, tables] = [0, 0];
    await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await target.query('BEGIN');
    await lockTables(target);
    // A service may have been started on it since the first look.
    await requireEmptyTarget(target, KNOWN);
    await copyTables(source, target, (table) => {
      this.tell(`${table.name}: ${table.rows} rows`);
      rows += table.rows;
      tables += 1;
    });
    await target.query('COMMIT');
    await source.query('COMMIT');
    this.tell(`${rows} rows of ${tables} tables were copied, and counted in both databases`);
  }

  private audit(client: Client): Promise<AuditReport> {
    return audit(client, { statementSeconds: AUDIT_SECONDS }, (running) => boundsOf(this.settings, running));
  }
}

async function requireCurrentSource(source: Client): Promise<void> {
  const { rows: tables } = await source.query(`SELECT WHERE to_regclass('migrations') IS NOT NULL`);
  const { rows } = tables.length === 0 ? { rows: [] } : await source.query('SELECT name FROM migrations');
  const executed = new Set(rows.map(({ name }: { name: string }) => name));
  if (KNOWN.every((name) => executed.has(name)) && executed.size === KNOWN.length) return;
  throw new MoveError(
    'The embedded database has the tables of another version: start the service of this version on it once (npm start), and stop it.',
  );
}

/** Nobody would read the telemetry in the copy where it has a database of its own. */
async function requireNoTelemetry(source: Client): Promise<void> {
  const { rows } = await source.query(
    `SELECT WHERE EXISTS (SELECT FROM agent_logs) OR EXISTS (SELECT FROM agent_metrics) OR EXISTS (SELECT FROM agent_spans)`,
  );
  if (rows.length === 0) return;
  throw new MoveError(
    "The embedded database has logs, metrics or spans, which this command can't move into TELEMETRY_DATABASE_URL: " +
      'run it without that setting, then move them as described in docs/telemetry-database.md.',
  );
}

/** The findings of the audit that differ in the copy: earlier faults of the embedded database do not count. */
function differencesOf(before: AuditReport, after: AuditReport): string[] {
  const counts = new Map(before.findings.map(({ name, count }) => [name, count]));
  return after.findings
    .filter(({ name, count }) => count !== counts.get(name))
    .map(
      ({ name, sentence, count, problem }) =>
        `${name}: ${sentence} In the embedded database ${foundText(counts.get(name))}, in the copy ${problem ?? foundText(count)}.`,
    );
}

const foundText = (count: number | null | undefined) =>
  typeof count === 'number' ? `${count} do not` : 'it was not checked';

function nextSteps({ DATA_DIR, JWT_SECRET }: Settings): string {
  const secret = join(resolve(DATA_DIR), 'jwt-secret');
  return [
    '',
    'Everything was moved, and the embedded database is unchanged. To continue, start the service with',
    '  DATABASE_URL            as for this command',
    JWT_SECRET === '' && existsSync(secret)
      ? `  JWT_SECRET              the content of ${secret}: without it, everybody has to log in again`
      : '  JWT_SECRET              as before',
    '  WEBHOOK_SECRET_KEY      as before',
    'Two defaults are different now: rate limits are a tenth, and webhooks to private addresses need ' +
      'WEBHOOK_ALLOW_PRIVATE_TARGETS=true.',
    'If the service should connect with another role than the owner of the tables: node dist/src/migrate.js ' +
      '--service-role NAME.',
  ].join('\n');
}

/** @throws MoveError */
function readOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { help: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    throw new MoveError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof MoveError || error instanceof SettingsError) return error.message;
  if (error instanceof UnusableDatabaseError) return `Nothing was moved. ${error.message}`;
  return `Nothing was moved: ${failureToOpen(error)}`;
}

function optionsOf(target: DatabaseTarget): ClientConfig {
  return { ...unlimitedClientOptions(target), application_name: APPLICATION_NAME };
}
