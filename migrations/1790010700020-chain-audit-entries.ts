import type { MigrationInterface, QueryRunner } from 'typeorm';

const create = (schema: string) => [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE audit_chain (
    day date NOT NULL,
    number integer NOT NULL,
    entry_id uuid NOT NULL CONSTRAINT audit_chain_entry_id_key UNIQUE,
    hash bytea NOT NULL,
    CONSTRAINT audit_chain_pkey PRIMARY KEY (day, number)
  )`,
  `CREATE FUNCTION refuse_audit_chain_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' AND OLD.day < now() - interval '30 days' THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'The chain of the audit log is append-only';
  END
  $$`,
  `CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE ON audit_chain
   FOR EACH ROW EXECUTE FUNCTION refuse_audit_chain_change()`,
  `CREATE TRIGGER audit_chain_no_truncate BEFORE TRUNCATE ON audit_chain
   FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_chain_change()`,
  // Every column in a notation that no setting of a connection changes.
  `CREATE FUNCTION audit_entry_text(entry ${schema}.audit_log) RETURNS text
   LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
     SELECT jsonb_build_array(entry.id, (extract(epoch FROM entry.at) * 1000000)::bigint, entry.actor, entry.action,
       entry.target_type, entry.target_id, entry.outcome, entry.address, entry.request_id, entry.details, entry.user_id,
       entry.owner_id)::text
   $$`,
  `CREATE FUNCTION audit_link_hash(before bytea, entry ${schema}.audit_log) RETURNS bytea
   LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
     SELECT sha256(before || convert_to(${schema}.audit_entry_text(entry), 'UTF8'))
   $$`,
  // The least identifier of a moment some minutes before that of the last link: a transaction may commit late, with an older identifier.
  `CREATE FUNCTION chain_audit_entries(batch integer) RETURNS integer
   LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
   DECLARE
     head ${schema}.audit_chain;
     entry ${schema}.audit_log;
     today date := (now() AT TIME ZONE 'UTC')::date;
     since uuid := '00000000-0000-0000-0000-000000000000';
     chained integer := 0;
   BEGIN
     SELECT * INTO head FROM ${schema}.audit_chain ORDER BY day DESC, number DESC LIMIT 1;
     IF FOUND THEN
       since := rpad(lpad(to_hex(('x' || left(replace(head.entry_id::text, '-', ''), 12))::bit(48)::bigint - 600000),
         12, '0'), 32, '0')::uuid;
     END IF;
     FOR entry IN
       SELECT * FROM ${schema}.audit_log AS candidate
       WHERE candidate.id >= since
         AND NOT EXISTS (SELECT FROM ${schema}.audit_chain AS link WHERE link.entry_id = candidate.id)
       ORDER BY candidate.id LIMIT batch
     LOOP
       head.hash := ${schema}.audit_link_hash(coalesce(head.hash, ''), entry);
       head.number := CASE WHEN head.day >= today THEN head.number + 1 ELSE 1 END;
       head.day := greatest(head.day, today);
       INSERT INTO ${schema}.audit_chain (day, number, entry_id, hash)
       VALUES (head.day, head.number, entry.id, head.hash);
       chained := chained + 1;
     END LOOP;
     RETURN chained;
   END
   $$`,
  'REVOKE EXECUTE ON FUNCTION chain_audit_entries(integer) FROM PUBLIC',
  // The links of an entry go a day after it, whole days in their order: what is left is a chain.
  deletesOld(
    schema,
    `DELETE FROM ${schema}.audit_chain WHERE (day, number) IN (
       SELECT day, number FROM ${schema}.audit_chain
       WHERE day < (now() - make_interval(days => retention_days + 1))::date
       ORDER BY day, number LIMIT batch
     );`,
  ),
];

const drop = (schema: string) => [
  deletesOld(schema, ''),
  'DROP FUNCTION chain_audit_entries(integer)',
  `DROP FUNCTION audit_link_hash(bytea, ${schema}.audit_log)`,
  `DROP FUNCTION audit_entry_text(${schema}.audit_log)`,
  'DROP TABLE audit_chain',
  'DROP FUNCTION refuse_audit_chain_change()',
];

/** The function of the retention. @param links deletes old links of the chain */
function deletesOld(schema: string, links: string): string {
  return `CREATE OR REPLACE FUNCTION delete_old_audit_entries(retention_days integer, batch integer) RETURNS integer
   LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
     ${links}
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
   $$`;
}

/**
 * The chain of the audit log. Each entry that is committed gets a link in the background: the hash of the link before and of
 * the entry. Writers never wait for each other for it. Like the log, the chain is written by functions that run as its owner, so that
 * the role of the service can only read it.
 */
export class ChainAuditEntries1790010700020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of create(await schemaOf(runner))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of drop(await schemaOf(runner))) await runner.query(statement);
  }
}

async function schemaOf(runner: QueryRunner): Promise<string> {
  const [row] = (await runner.query('SELECT quote_ident(current_schema()) AS schema')) as [
    { schema: string },
  ];
  return row.schema;
}
