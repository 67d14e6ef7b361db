import { parseArgs } from 'node:util';
import type { Client, ClientConfig } from 'pg';
import type { CommandStreams } from '../config/command-streams.js';
import { DatabaseNotFoundError, type RunningDatabase, runningDatabase } from '../config/running-database.js';
import { readSettings, type Settings, SettingsError } from '../config/settings.js';
import { withClient } from '../config/with-client.js';
import { audit, type AuditLimits, type AuditReport, boundsOf } from './audit.js';
import { exitCodeOf, textOf } from './audit-report.js';
import { verifyAuditLog } from './audit-log-verification.js';
import { auditTwo } from './telemetry-audit.js';

const USAGE = `Usage: npm run audit:data -- [verify [--head HEAD]...] [--json] [--statement-seconds N]

Checks every invariant of the data in one snapshot, and writes nothing. The database is that of the service:
DATABASE_URL, or the embedded one of DATA_DIR while the service runs. Telemetry in TELEMETRY_DATABASE_URL is checked, too.

  verify                 checks the audit log alone, and prints the last link of each day
  --head HEAD            with verify: a head that the service's log has told; it must be a link
  --json                 the result as JSON
  --statement-seconds N  how long each check may take, 1 to 3600 (60)

Exit code: 0 every invariant holds, 1 some do not, 2 the audit could not be run or not be finished`;

const COULD_NOT_RUN = 2;

class UsageError extends Error {}

/**
 * Checks the stored data. It only reads, and uses the service's settings.
 *
 * @param args the command line, without the program
 * @param environment the settings; absent: those of the process
 * @returns the exit code; an error is written to standard error
 */
export async function auditCommand(
  args: readonly string[],
  { stdout, stderr }: CommandStreams,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { json, help, verifies, heads, statementSeconds } = readOptions(args);
    if (help) {
      stdout.write(`${USAGE}\n`);
      return 0;
    }
    const settings = readSettings(environment);
    const limits = { statementSeconds };
    const report = await withClient(optionsOf(runningDatabase(settings)), (client) =>
      verifies
        ? verifyAuditLog(client, limits, (running) => boundsOf(settings, running), heads)
        : auditAll(client, limits, settings),
    );
    stdout.write(`${json ? JSON.stringify(report, null, 2) : textOf(report)}\n`);
    return exitCodeOf(report);
  } catch (error) {
    stderr.write(`${reasonOf(error)}\n`);
    return COULD_NOT_RUN;
  }
}

function optionsOf(found: RunningDatabase): ClientConfig {
  return {
    ...('url' in found ? { connectionString: found.url } : { ...found, ssl: false }),
    application_name: 'control-plane-audit',
    connectionTimeoutMillis: 5_000,
  };
}

function auditAll(main: Client, limits: AuditLimits, settings: Settings): Promise<AuditReport> {
  const boundsFor = (running: number) => boundsOf(settings, running);
  const { TELEMETRY_DATABASE_URL: url } = settings;
  if (url === '') return audit(main, limits, boundsFor);
  return withClient(optionsOf({ url }), (telemetry) => auditTwo({ main, telemetry }, limits, boundsFor));
}

/** @throws UsageError */
function readOptions(args: readonly string[]) {
  const options = {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    head: { type: 'string', multiple: true, default: [] as string[] },
    'statement-seconds': { type: 'string', default: '60' },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const { json, help, head: heads, 'statement-seconds': text } = values;
    const verifies = positionals[0] === 'verify';
    if (positionals.length > (verifies ? 1 : 0))
      throw new UsageError(`There is no command ${positionals.at(-1)!}`);
    if (heads.length > 0 && !verifies) throw new UsageError('--head goes with verify');
    const statementSeconds = Number(text);
    if (!/^\d+$/.test(text) || statementSeconds < 1 || statementSeconds > 3_600) {
      throw new UsageError(`--statement-seconds ${text} is not a whole number from 1 to 3600`);
    }
    return { json, help, verifies, heads, statementSeconds };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return `${message}\n\n${USAGE}`;
  if (error instanceof SettingsError || error instanceof DatabaseNotFoundError) return message;
  // An error about a name with several addresses, none of which answers, has a code and no message.
  return `The database can't be audited: ${message || String((error as { code?: unknown }).code)}`;
}
