import type { Client } from 'pg';
import type { Settings } from '../config/settings.js';
import type { AuditBounds, Finding, Invariant } from './invariant.types.js';
import { AUDIT_LOG_INVARIANTS } from './invariants/audit-log-invariants.js';
import { AGENT_INVARIANTS } from './invariants/agent-invariants.js';
import { APPROVAL_INVARIANTS } from './invariants/approval-invariants.js';
import { COMMAND_INVARIANTS } from './invariants/command-invariants.js';
import { DELIVERY_INVARIANTS } from './invariants/delivery-invariants.js';
import { HISTORY_INVARIANTS } from './invariants/history-invariants.js';
import { HOUSEKEEPING_INVARIANTS } from './invariants/housekeeping-invariants.js';
import { PAUSE_INVARIANTS } from './invariants/pause-invariants.js';
import { PROJECT_INVARIANTS } from './invariants/project-invariants.js';
import { RELATION_INVARIANTS } from './invariants/relation-invariants.js';
import { RUN_INVARIANTS } from './invariants/run-invariants.js';
import { USAGE_INVARIANTS } from './invariants/usage-invariants.js';

export type Query = <Row extends object>(statement: string, parameters?: unknown[]) => Promise<Row[]>;

export interface AuditReport {
  readonly database: string;
  /** Time of the snapshot by the database's clock; ISO 8601. */
  readonly at: string;
  /** Seconds for which a service has been connected; 0 if none is, and then nothing can be late. */
  readonly runningSeconds: number;
  readonly findings: readonly Finding[];
  /** The last link of each day of the audit log's chain, where that is verified: day, number and hash. */
  readonly heads?: readonly string[];
}

export interface AuditLimits {
  /** Timeout of one statement; an invariant whose statement takes longer is reported as unchecked. */
  readonly statementSeconds: number;
}

/** Maximum number of violating ids that a finding names. */
export const IDS_SHOWN = 10;
/** Longest time of the whole audit: its snapshot keeps PostgreSQL from removing dead rows. */
const TRANSACTION_MINUTES = 30;
const LOCK_SECONDS = 5;
/** Tolerance for history: retention runs once an hour. */
const RETENTION_TOLERANCE_SECONDS = 7_200;
const MARGIN_SECONDS = 900;
const DAY_SECONDS = 86_400;

export function boundsOf(
  settings: Pick<
    Settings,
    | 'AUDIT_RETENTION_DAYS'
    | 'HISTORY_RETENTION_DAYS'
    | 'HEARTBEAT_TIMEOUT_SECONDS'
    | 'MONITOR_INTERVAL_SECONDS'
  >,
  runningSeconds: number,
): AuditBounds {
  const {
    AUDIT_RETENTION_DAYS,
    HISTORY_RETENTION_DAYS,
    HEARTBEAT_TIMEOUT_SECONDS,
    MONITOR_INTERVAL_SECONDS,
  } = settings;
  return {
    runningSeconds,
    marginSeconds: MARGIN_SECONDS + HEARTBEAT_TIMEOUT_SECONDS + MONITOR_INTERVAL_SECONDS,
    historySeconds: HISTORY_RETENTION_DAYS * DAY_SECONDS - RETENTION_TOLERANCE_SECONDS,
    auditSeconds: AUDIT_RETENTION_DAYS * DAY_SECONDS - RETENTION_TOLERANCE_SECONDS,
  };
}

/** The invariants in the order of the report. */
export const INVARIANTS: readonly Invariant[] = [
  ...HISTORY_INVARIANTS,
  ...AGENT_INVARIANTS,
  ...COMMAND_INVARIANTS,
  ...APPROVAL_INVARIANTS,
  ...PAUSE_INVARIANTS,
  ...RUN_INVARIANTS,
  ...USAGE_INVARIANTS,
  ...DELIVERY_INVARIANTS,
  ...RELATION_INVARIANTS,
  ...PROJECT_INVARIANTS,
  ...HOUSEKEEPING_INVARIANTS,
  ...AUDIT_LOG_INVARIANTS,
];

/** Seconds for which an instance has been connected to this database; 0 if none is. */
export async function runningSeconds(query: Query): Promise<number> {
  const [row] = await query<{ seconds: number }>(
    `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(backend_start)), 0)::float8 AS seconds
     FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'agent-control-plane%'`,
  );
  return row?.seconds ?? 0;
}

/** Counts the violating rows of one invariant and names the first ten. Rejects if the statement fails. */
export async function check(query: Query, invariant: Invariant, bounds: AuditBounds): Promise<Finding> {
  const rows = await query<{ id: string; count: number }>(
    `WITH bounds (running_seconds, margin_seconds, history_seconds, audit_seconds)
         AS (SELECT $1::float8, $2::float8, $3::float8, $4::float8),
       offender AS (${invariant.statement})
     SELECT id::text AS id, (count(*) OVER ())::float8 AS count FROM offender ORDER BY id::text LIMIT ${IDS_SHOWN}`,
    [bounds.runningSeconds, bounds.marginSeconds, bounds.historySeconds, bounds.auditSeconds],
  );
  const { name, sentence } = invariant;
  return { name, sentence, count: rows[0]?.count ?? 0, ids: rows.map(({ id }) => id) };
}

/**
 * Checks invariants against one snapshot of the database. It writes nothing and takes no lock for which others
 * would wait. A statement that fails or takes too long is reported, and the others are still checked.
 *
 * @param client a connected connection of the audit's own
 * @param boundsFor returns the bounds for the seconds for which a service has been connected
 * @throws errors of `pg` if the connection or the transaction itself fails
 */
export async function audit(
  client: Client,
  limits: AuditLimits,
  boundsFor: (runningSeconds: number) => AuditBounds,
  invariants: readonly Invariant[] = INVARIANTS,
): Promise<AuditReport> {
  const query: Query = async <Row extends object>(statement: string, parameters: unknown[] = []) =>
    (await client.query<Row>(statement, parameters)).rows;
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await query(`SET LOCAL statement_timeout = '${limits.statementSeconds}s'`);
    await query(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`);
    // PostgreSQL 17 and newer have this limit.
    await query(
      `SELECT set_config(name, '${TRANSACTION_MINUTES}min', true) FROM pg_settings WHERE name = 'transaction_timeout'`,
    );
    const [snapshot] = await query<{ database: string; at: Date }>(
      'SELECT current_database() AS database, now() AS at',
    );
    const running = await runningSeconds(query);
    const bounds = boundsFor(running);
    const findings: Finding[] = [];
    for (const invariant of invariants) findings.push(await checkApart(query, invariant, bounds));
    return {
      database: snapshot!.database,
      at: snapshot!.at.toISOString(),
      runningSeconds: Math.round(running),
      findings,
    };
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

/** Checks an invariant in a savepoint, so that a failed statement does not end the snapshot for the others. */
async function checkApart(query: Query, invariant: Invariant, bounds: AuditBounds): Promise<Finding> {
  await query('SAVEPOINT invariant');
  try {
    return await check(query, invariant, bounds);
  } catch (error) {
    await query('ROLLBACK TO SAVEPOINT invariant');
    const { name, sentence } = invariant;
    return { name, sentence, count: null, ids: [], problem: (error as Error).message };
  } finally {
    await query('RELEASE SAVEPOINT invariant').catch(() => undefined);
  }
}
