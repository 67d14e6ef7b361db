import type { Client } from 'pg';
import { audit, type AuditLimits, type AuditReport, IDS_SHOWN, INVARIANTS } from './audit.js';
import type { AcrossDatabases, AuditBounds, Finding } from './invariant.types.js';

/** How many keys are in memory at once. */
const KEYS_AT_ONCE = 10_000;

/** A main database, and the database of its telemetry. */
export interface TwoDatabases {
  readonly main: Client;
  readonly telemetry: Client;
}

/** Invariants of one database each, where the telemetry has its own. */
const OF_MAIN = INVARIANTS.filter(({ telemetry }) => telemetry === undefined);
const OF_TELEMETRY = INVARIANTS.filter(({ telemetry }) => telemetry === 'alone');

/**
 * Checks every invariant where the telemetry is in a database of its own: invariants of one database in one snapshot
 * of it, those of both after that.
 *
 * @throws errors of `pg` if a connection or a transaction itself fails
 */
export async function auditTwo(
  databases: TwoDatabases,
  limits: AuditLimits,
  boundsFor: (runningSeconds: number) => AuditBounds,
): Promise<AuditReport> {
  const { main, telemetry } = databases;
  const report = await audit(main, limits, boundsFor, OF_MAIN);
  const second = await audit(telemetry, limits, boundsFor, OF_TELEMETRY);
  const findings = [...report.findings, ...second.findings];
  await main.query(`SET statement_timeout = '${limits.statementSeconds}s'`);
  for (const { name, sentence, telemetry: across } of INVARIANTS) {
    if (typeof across !== 'object') continue;
    findings.push({ name, sentence, ...(await compared(databases, across, limits)) });
  }
  return { ...report, database: `${report.database} and ${second.database}`, findings };
}

/**
 * Compares both databases by one invariant. They have no snapshot in common: an agent may be deleted, with its telemetry, after one was
 * read and before the other. So only what violates it in two looks, one after the other, counts.
 */
async function compared(
  databases: TwoDatabases,
  across: AcrossDatabases,
  limits: AuditLimits,
): Promise<Omit<Finding, 'name' | 'sentence'>> {
  try {
    const first = await lookAt(databases, across, limits);
    const second = first.size === 0 ? first : await lookAt(databases, across, limits);
    const ids = [...first].filter((id) => second.has(id)).sort();
    return { count: ids.length, ids: ids.slice(0, IDS_SHOWN) };
  } catch (error) {
    return { count: null, ids: [], problem: (error as Error).message };
  }
}

async function lookAt(
  { main, telemetry }: TwoDatabases,
  { keys, offenders }: AcrossDatabases,
  { statementSeconds }: AuditLimits,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await telemetry.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await telemetry.query(`SET LOCAL statement_timeout = '${statementSeconds}s'`);
    await telemetry.query(`DECLARE seen NO SCROLL CURSOR FOR ${keys}`);
    for (;;) {
      const { rows } = await telemetry.query<{ key: string }>(`FETCH ${KEYS_AT_ONCE} FROM seen`);
      if (rows.length === 0) return found;
      const asked = await main.query<{ id: string }>(offenders, [rows.map(({ key }) => key)]);
      for (const { id } of asked.rows) found.add(id);
    }
  } finally {
    await telemetry.query('ROLLBACK').catch(() => undefined);
  }
}
