import type { Client } from 'pg';
import { requireUsableServer, UnusableDatabaseError } from '../database/usable-database.js';

/** Tables that have rows after the migrations alone: the list of the migrations, and counters. */
const FILLED_BY_MIGRATIONS = ['migrations', 'newsletter_size', 'service_deafness'];

const NAMED = 5;

interface Relation {
  /** Quoted for a statement. */
  readonly name: string;
  readonly owns: boolean;
}

/**
 * Checks that everything can be moved into a database: its version, the rights of the role, and that nothing is lost. The service's
 * own tables may be there without rows, as an interrupted move leaves them.
 *
 * @param known names of this version's migrations
 * @throws UnusableDatabaseError naming the fault, and what to do
 */
export async function requireEmptyTarget(client: Client, known: readonly string[]): Promise<void> {
  await requireUsableServer(client);
  await requireRights(client);
  const { rows: relations } = await client.query<Relation>(
    `SELECT oid::regclass::text AS name, pg_has_role(relowner, 'USAGE') AS owns FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
     ORDER BY 1`,
  );
  if (relations.length === 0) return;
  const others = relations.filter(({ owns }) => !owns);
  if (others.length > 0) {
    throw new UnusableDatabaseError(
      `Tables of the database of DATABASE_URL belong to another role: ${listOf(others)}. Connect as their owner.`,
    );
  }
  await requireOwnSchema(client, relations, known);
  const filled: Relation[] = [];
  for (const relation of relations) {
    if (FILLED_BY_MIGRATIONS.includes(relation.name)) continue;
    const { rowCount } = await client.query(`SELECT FROM ${relation.name} LIMIT 1`);
    if (rowCount! > 0) filled.push(relation);
  }
  if (filled.length === 0) return;
  throw new UnusableDatabaseError(
    `The database of DATABASE_URL has rows in ${listOf(filled)}: name an empty database.`,
  );
}

async function requireRights(client: Client): Promise<void> {
  const { rows } = await client.query<{
    role: string;
    schema: string | null;
    is_standby: boolean;
    may: boolean;
  }>(
    `SELECT quote_ident(current_user) AS role, quote_ident(current_schema()) AS schema, pg_is_in_recovery() AS is_standby,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may`,
  );
  const { role, schema, is_standby: isStandby, may } = rows[0]!;
  if (isStandby)
    throw new UnusableDatabaseError(
      'The server of DATABASE_URL is a standby, which accepts no writes: name the primary.',
    );
  if (may) return;
  throw new UnusableDatabaseError(
    `The role ${role} is not allowed to create tables in the database of DATABASE_URL. ` +
      `Run GRANT USAGE, CREATE ON SCHEMA ${schema ?? 'public'} TO ${role} as the owner of that schema.`,
  );
}

/** Tables of another program, or of another version of the service, are left alone. */
async function requireOwnSchema(
  client: Client,
  relations: readonly Relation[],
  known: readonly string[],
): Promise<void> {
  if (relations.some(({ name }) => name === 'migrations')) {
    const { rows } = await client.query<{ name: string }>('SELECT name::text FROM migrations');
    if (rows.every(({ name }) => known.includes(name))) return;
  }
  throw new UnusableDatabaseError(
    `The database of DATABASE_URL has tables that this version did not create: ${listOf(relations)}. Name an ` +
      'empty database.',
  );
}

function listOf(relations: readonly Relation[]): string {
  const named = relations.slice(0, NAMED).map(({ name }) => name);
  const more = relations.length > NAMED ? `, and ${relations.length - NAMED} more` : '';
  return `${named.join(', ')}${more}`;
}
