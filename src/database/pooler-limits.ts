import { UnusableDatabaseError } from './postgres-version.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/** Settings that the service gives each session, and that a role must have if its sessions belong to a pooler. */
const DEFAULTS = {
  timezone: 'UTC',
  statement_timeout: '15s',
  lock_timeout: '3s',
  idle_in_transaction_session_timeout: '15s',
};

/**
 * Looks whether the sessions of a pooler have limits. Without a time zone times would be wrong; without the timeouts one
 * forgotten statement would hold its locks for ever. By hand: no entity describes PostgreSQL's views.
 *
 * @throws UnusableDatabaseError naming the statements that set what is missing
 */
export async function requirePoolerLimits(connection: Connection): Promise<void> {
  const rows = await rowsOf<{ role: string; name: keyof typeof DEFAULTS }>(
    connection,
    `SELECT quote_ident(current_user) AS role, lower(name) AS name FROM pg_settings
     WHERE lower(name) = ANY ($1) AND setting IN ('0', '') OR name = 'TimeZone' AND setting NOT IN ('UTC', 'Etc/UTC')`,
    [Object.keys(DEFAULTS)],
  );
  if (rows.length === 0) return;
  const statements = rows.map(({ role, name }) => `ALTER ROLE ${role} SET ${name} = '${DEFAULTS[name]}'`);
  throw new UnusableDatabaseError(
    `The sessions of the pooler at DATABASE_URL have no limits. Run this, then RECONNECT the pooler: ${statements.join('; ')}`,
  );
}
