import type { Client } from 'pg';
import { ADVISORY_LOCKS } from './database/advisory-locks.js';
import { takeTurn } from './database/migrate.js';

/**
 * The partitioned tables and their partitions that the role does not own yet. A change of the owner locks its table
 * against all access, even if nothing changes.
 */
const PARTITIONED = `SELECT member.relid::regclass::text AS name
  FROM pg_class AS parent, pg_partition_tree(parent.oid) AS member
  JOIN pg_class AS table_of_it ON table_of_it.oid = member.relid
  WHERE parent.relkind = 'p' AND parent.relnamespace = current_schema()::regnamespace
    AND table_of_it.relowner <> $1::regrole
  ORDER BY member.level`;

/**
 * Grants the service's role the rights that it needs, and no others: it reads and writes rows, but can neither change
 * or delete entries of the audit log, nor change the schema. The partitioned tables become its own, because it creates
 * and drops partitions daily. A database of telemetry alone has no audit log. Concurrent programs, including migrations, wait for each other.
 *
 * @param client connected as the owner of the tables, which is a member of that role; after an error it has to be ended
 * @throws if the role is a superuser, or the connected one
 */
export async function grantToServiceRole(client: Client, serviceRole: string): Promise<void> {
  const { rows } = await client.query<{ is_unfit: boolean; schema: string; has_audit_log: boolean }>(
    `SELECT rolsuper OR rolname = current_user AS is_unfit, quote_ident(current_schema()) AS schema,
       to_regclass('audit_log') IS NOT NULL AS has_audit_log
     FROM pg_roles WHERE rolname = $1`,
    [serviceRole],
  );
  const [found] = rows;
  if (!found) throw new Error(`The role ${serviceRole} does not exist: create it first`);
  if (found.is_unfit) {
    throw new Error(
      `The role ${serviceRole} is a superuser, or owns the tables: use another role for the service`,
    );
  }
  const role = client.escapeIdentifier(serviceRole);
  await takeTurn(client);
  const partitioned = await client.query<{ name: string }>(PARTITIONED, [role]);
  const statements = [
    `GRANT USAGE, CREATE ON SCHEMA ${found.schema} TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${found.schema} TO ${role}`,
    `REVOKE INSERT, UPDATE, DELETE ON migrations FROM ${role}`,
    ...(found.has_audit_log ? rightsOnAuditLog(role) : []),
    ...partitioned.rows.map(({ name }) => `ALTER TABLE ${name} OWNER TO ${role}`),
  ];
  await client.query(['BEGIN', ...statements, 'COMMIT'].join(';\n'));
  await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);
}

function rightsOnAuditLog(role: string): readonly string[] {
  return [
    `REVOKE UPDATE, DELETE ON audit_log FROM ${role}`,
    `REVOKE INSERT, UPDATE, DELETE ON audit_chain FROM ${role}`,
    `GRANT EXECUTE ON FUNCTION delete_old_audit_entries(integer, integer) TO ${role}`,
    `GRANT EXECUTE ON FUNCTION chain_audit_entries(integer) TO ${role}`,
    `GRANT EXECUTE ON FUNCTION erase_audit_entries(uuid, uuid, integer) TO ${role}`,
  ];
}
