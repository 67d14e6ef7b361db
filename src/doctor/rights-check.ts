import type { Client } from 'pg';
import { type Finding, findingsOf } from './finding.js';

const { ok, warn, failed } = findingsOf('rights');

/** How many names a line holds. */
const NAMED = 5;

interface Role {
  readonly role: string;
  readonly is_superuser: boolean;
  /** Null: the database has no audit log. */
  readonly owns: boolean | null;
}

/**
 * Rights that the command `migrate --service-role` grants and this role lacks: rights on tables, the partitioned
 * tables that it has to own because it makes and drops partitions, functions, and the schema.
 */
const MISSING = `SELECT privilege || ' on ' || relname AS right FROM pg_class,
    unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT has_table_privilege(oid, privilege)
    AND NOT (relname IN ('migrations', 'audit_chain') AND privilege <> 'SELECT')
    AND NOT (relname = 'audit_log' AND privilege IN ('UPDATE', 'DELETE'))
  UNION ALL
  SELECT 'ownership of ' || relname FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'p' AND NOT pg_has_role(relowner, 'USAGE')
  UNION ALL
  SELECT 'EXECUTE on ' || proname FROM pg_proc
  WHERE pronamespace = current_schema()::regnamespace AND proname IN ('delete_old_audit_entries', 'chain_audit_entries', 'erase_audit_entries')
    AND NOT has_function_privilege(oid, 'EXECUTE')
  UNION ALL
  SELECT privilege || ' on the schema' FROM unnest(ARRAY['USAGE', 'CREATE']) AS privilege
  WHERE NOT has_schema_privilege(current_schema(), privilege)
  ORDER BY 1`;

/** Whether the role may do what the service does, and not much more. */
export async function checkRights(client: Client, isEmbedded: boolean): Promise<readonly Finding[]> {
  const { rows } = await client.query<Role>(
    `SELECT current_user::text AS role, rolsuper AS is_superuser,
       (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('audit_log')) AS owns
     FROM pg_roles WHERE rolname = current_user`,
  );
  const { role, is_superuser: isSuperuser, owns } = rows[0]!;
  if (isEmbedded) return [ok('the embedded database belongs to the service')];
  if (isSuperuser) return [warn(`the role ${role} is a superuser`, `connect as another role; ${SEPARATE}`)];
  if (owns)
    return [
      warn(
        `the role ${role} owns the tables, and can change the audit log`,
        `connect as another role; ${SEPARATE}`,
      ),
    ];
  const { rows: missing } = await client.query<{ right: string }>(MISSING);
  if (missing.length > 0) {
    const named = missing.slice(0, NAMED).map(({ right }) => right);
    const more = missing.length > NAMED ? `, and ${missing.length - NAMED} more` : '';
    return [
      failed(
        `the role ${role} lacks ${named.join(', ')}${more}`,
        `run the command migrate --service-role ${role} as the owner of the tables`,
      ),
    ];
  }
  const { rows: surplus } = await client.query(
    `SELECT FROM pg_class WHERE oid = to_regclass('audit_log')
       AND (has_table_privilege(oid, 'UPDATE') OR has_table_privilege(oid, 'DELETE'))`,
  );
  if (surplus.length > 0)
    return [
      warn(
        `the role ${role} can change the audit log`,
        `run the command migrate --service-role ${role}, which revokes that right`,
      ),
    ];
  const log = owns === null ? '' : ", and can't change the audit log";
  return [ok(`the role ${role} has what the service needs${log}`)];
}

const SEPARATE = 'migrate --service-role NAME grants it what the service needs (docs/operations.md)';
