import type { Client } from 'pg';
import { type Finding, findingsOf } from './finding.js';

const { ok, warn, failed } = findingsOf('schema');

/** @param known names of this version's migrations */
export async function checkSchema(client: Client, known: readonly string[]): Promise<readonly Finding[]> {
  const { rows: tables } = await client.query(`SELECT WHERE to_regclass('migrations') IS NOT NULL`);
  if (tables.length === 0)
    return [
      failed(
        'the database has no tables yet',
        'run the command migrate, or start the service as their owner',
      ),
    ];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
  const executed = new Set(rows.map(({ name }) => name));
  const missing = known.filter((name) => !executed.has(name));
  if (missing.length > 0) {
    return [
      failed(
        `${missing.length} of ${known.length} migrations of this version are missing, from ${missing[0]} on`,
        'run the command migrate of this version',
      ),
    ];
  }
  const newer = [...executed].filter((name) => !known.includes(name));
  if (newer.length === 0) return [ok(`all ${known.length} migrations have run`)];
  return [
    warn(
      `the database is newer than this program: it has ${newer.length} more migrations`,
      'upgrade this program, unless you have downgraded it on purpose (docs/upgrades.md)',
    ),
  ];
}
