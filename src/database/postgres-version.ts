import type { Client } from 'pg';

/** The oldest major version that the statements and migrations are tested for. */
const OLDEST = 14;

/** The database can't be used as it is, and waiting changes nothing. The message is one line that says what to do. */
export class UnusableDatabaseError extends Error {}

/** @throws UnusableDatabaseError if the server is older than PostgreSQL 14 */
export async function requireSupportedVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const version = rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) >= OLDEST) return;
  throw new UnusableDatabaseError(
    `PostgreSQL ${version} is too old: the service needs ${OLDEST} or newer. Upgrade the server of DATABASE_URL.`,
  );
}
