import type { Client } from 'pg';
import { audit, type AuditLimits, type AuditReport } from './audit.js';
import type { AuditBounds, Finding } from './invariant.types.js';
import { AUDIT_LOG_INVARIANTS } from './invariants/audit-log-invariants.js';

/** A link as the service's log and `--head` have it: day, number and hash. */
const LINK_TEXT = `to_char(day, 'YYYY-MM-DD') || '/' || number || '/' || encode(hash, 'hex')`;

/**
 * Checks the chain of the audit log alone. The owner of the tables can change the log and link it again, and every
 * check of the database itself then holds: only a head that another person has kept finds that.
 *
 * @param given heads that were in the service's log
 */
export async function verifyAuditLog(
  client: Client,
  limits: AuditLimits,
  boundsFor: (runningSeconds: number) => AuditBounds,
  given: readonly string[],
): Promise<AuditReport> {
  const report = await audit(client, limits, boundsFor, AUDIT_LOG_INVARIANTS);
  const known = await missingAmong(client, given);
  return { ...report, findings: [...report.findings, known], heads: await headsOf(client) };
}

/** The last link of each day. */
export async function headsOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `SELECT DISTINCT ON (day) ${LINK_TEXT} AS text FROM audit_chain ORDER BY day, number DESC`,
  );
  return rows.map(({ text }) => text);
}

/** Whether each head is a link of the chain. */
export async function missingAmong(client: Client, given: readonly string[]): Promise<Finding> {
  const { rows } = await client.query<{ head: string }>(
    `SELECT head FROM unnest($1::text[]) AS given (head)
     WHERE NOT EXISTS (SELECT FROM audit_chain WHERE ${LINK_TEXT} = head)`,
    [given],
  );
  return {
    name: 'audit-heads-are-links',
    sentence: 'Each head that was told before is a link of the chain still.',
    count: rows.length,
    ids: rows.map(({ head }) => head),
  };
}
