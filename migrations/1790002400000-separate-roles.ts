import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Old entries of the audit log are deleted by a function that runs as the owner of the table, so that the service's role
 * needs no right to delete. The trigger still refuses entries of the last 30 days. The path of the function is fixed: nobody
 * can put a function of their own into its way.
 */
export class SeparateRoles1790002400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }] = (await runner.query('SELECT quote_ident(current_schema()) AS schema')) as [
      { schema: string },
    ];
    await runner.query(
      // The least identifier of a moment of the database's clock: identifiers of version 7 begin with their milliseconds.
      `CREATE FUNCTION delete_old_audit_entries(retention_days integer, batch integer) RETURNS integer
       LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
         WITH deleted AS (
           DELETE FROM ${schema}.audit_log WHERE id = ANY (ARRAY(
             SELECT id FROM ${schema}.audit_log
             WHERE id < rpad(lpad(to_hex((extract(epoch FROM now() - make_interval(days => retention_days)) * 1000)::bigint),
               12, '0'), 32, '0')::uuid
             ORDER BY id LIMIT batch FOR UPDATE SKIP LOCKED
           ))
           RETURNING 1
         )
         SELECT count(*)::integer FROM deleted
       $$`,
    );
    await runner.query('REVOKE EXECUTE ON FUNCTION delete_old_audit_entries(integer, integer) FROM PUBLIC');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION delete_old_audit_entries(integer, integer)');
  }
}
