import type { Client } from 'pg';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/** The oldest major version with which the statements and migrations are tested. */
const OLDEST = 14;

/** The database can't be used, and waiting does not help. The message is one line that says what to do. */
export class UnusableDatabaseError extends Error {}

/** The setting with the address of a database. */
export type UrlSetting = 'DATABASE_URL' | 'TELEMETRY_DATABASE_URL';

/**
 * @param setting for the message
 * @throws UnusableDatabaseError if the server is older than PostgreSQL 14, or the encoding of the database is not UTF-8
 */
export async function requireUsableServer(
  client: Client,
  setting: UrlSetting = 'DATABASE_URL',
): Promise<void> {
  const { rows } = await client.query<{ server_version: string; name: string; encoding: string }>(
    `SELECT current_setting('server_version') AS server_version, current_database() AS name,
       current_setting('server_encoding') AS encoding`,
  );
  const { server_version: version, name, encoding } = rows[0]!;
  if (Number.parseInt(version, 10) < OLDEST)
    throw new UnusableDatabaseError(
      `PostgreSQL ${version} is too old: the service needs ${OLDEST} or newer. Upgrade the server of ${setting}.`,
    );
  if (encoding !== 'UTF8')
    throw new UnusableDatabaseError(
      `The database ${name} has the encoding ${encoding}, but the service needs UTF8. ` +
        `Make one with CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8', and name it in ${setting}.`,
    );
}

/** Settings that the service sets in each session, and that a role must have if its sessions belong to a pooler. */
const DEFAULTS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  default_transaction_isolation: 'read committed',
  statement_timeout: '15s',
  lock_timeout: '3s',
  idle_in_transaction_session_timeout: '15s',
};

/**
 * Checks that the sessions of a pooler have the settings that the service needs. With another time zone, style of dates
 * or isolation its results would be wrong; without the timeouts one forgotten statement would hold its locks for ever.
 * By hand: no entity describes PostgreSQL's views.
 *
 * @throws UnusableDatabaseError naming the statements for the missing settings
 */
export async function requirePoolerLimits(connection: Connection): Promise<void> {
  const rows = await rowsOf<{ role: string; name: keyof typeof DEFAULTS }>(
    connection,
    `SELECT quote_ident(current_user) AS role, lower(name) AS name FROM pg_settings
     WHERE lower(name) = ANY ($1) AND setting IN ('0', '') OR name = 'TimeZone' AND setting NOT IN ('UTC', 'Etc/UTC')
       OR name = 'DateStyle' AND setting NOT LIKE 'ISO%'
       OR name = 'default_transaction_isolation' AND setting <> 'read committed'`,
    [Object.keys(DEFAULTS)],
  );
  if (rows.length === 0) return;
  const statements = rows.map(({ role, name }) => `ALTER ROLE ${role} SET ${name} = '${DEFAULTS[name]}'`);
  throw new UnusableDatabaseError(
    'Sessions of the pooler at DATABASE_URL lack settings that the service needs. Run this, then RECONNECT the ' +
      `pooler: ${statements.join('; ')}`,
  );
}

/** Codes with which Node refuses a server's certificate: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE_CODE = /CERT|SIGNATURE|^ERR_TLS_/;

/** PgBouncer's answer to session parameters. */
const POOLER_REFUSES = /^unsupported startup parameter/;

/** The part of an address to correct, by the class of PostgreSQL's refusal: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const WRONG_PARTS: Readonly<Record<string, string>> = {
  '28': 'the user and the password',
  '3D': 'the name of the database',
};
/** Message of `pg` about an address without a password, for a server that asks for one. */
const NO_PASSWORD = /client password must be a/;

/**
 * @param setting the one with the address; absent: the caller names it
 * @returns one line: the reason why the database can't be opened, and what to do if its certificate or its address is
 * the reason
 */
export function failureToOpen(error: unknown, setting?: UrlSetting): string {
  const { message, code } = error as { readonly message?: string; readonly code?: unknown };
  // An error about a name with several addresses, none of which answers, has a code and no message.
  const reason = message || String(code ?? error);
  if (POOLER_REFUSES.test(reason))
    return (
      `${reason}. This is the address of a pooler: also set DATABASE_DIRECT_URL to the server's own address, and ` +
      'use it in TELEMETRY_DATABASE_URL'
    );
  const wrong = WRONG_PARTS[NO_PASSWORD.test(reason) ? '28' : String(code).slice(0, 2)];
  if (wrong !== undefined && setting !== undefined) return `${reason}: check ${wrong} in ${setting}`;
  if (typeof code !== 'string' || !CERTIFICATE_CODE.test(code)) return reason;
  return (
    `the certificate of the server is refused (${reason}). ` +
    'Name the file of the authority that signed it with sslrootcert, and the host by a name that is in the certificate'
  );
}
