import { Client } from 'pg';
import { audit, type AuditReport, boundsOf } from '../../src/audit/audit.js';
import { exitCodeOf, textOf } from '../../src/audit/audit-report.js';
import { readSettings } from '../../src/config/settings.js';

/** Location of a database; a {@link TestDatabase} has one. */
interface Audited {
  readonly target: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
}

/** Runs the audit like an operator, on a separate connection. */
export async function auditOf(database: Audited): Promise<AuditReport> {
  const settings = readSettings({ DATABASE_URL: 'postgres://unused' });
  const client = new Client(database.target);
  await client.connect();
  try {
    return await audit(client, { statementSeconds: 60 }, (running) => boundsOf(settings, running));
  } finally {
    await client.end();
  }
}

/**
 * Checks all invariants of the data, at the end of a suite that keeps what its tests have done: an audit takes a fifth of a second
 * of processor time.
 */
export async function expectCleanAudit(database: Audited): Promise<void> {
  const report = await auditOf(database);
  if (exitCodeOf(report) !== 0) throw new Error(`The data is not as it must be:\n${textOf(report)}`);
}
