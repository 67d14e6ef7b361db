import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an entry says of the person: it goes when the account is deleted. */
const PERSONAL = 'entry.address, entry.request_id, entry.details';

const create = (schema: string) => [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE audit_log ADD COLUMN salt bytea, ADD COLUMN erased_hash bytea',
  // Entries from before have none: it would be in no link of the chain.
  'ALTER TABLE audit_log ALTER COLUMN salt SET DEFAULT uuid_send(gen_random_uuid())',
  'ALTER TABLE projects ADD COLUMN erased_at timestamptz',
  `CREATE FUNCTION audit_personal_hash(entry ${schema}.audit_log) RETURNS bytea
   LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
     SELECT coalesce(entry.erased_hash,
       sha256(entry.salt || convert_to(jsonb_build_array(${PERSONAL})::text, 'UTF8')))
   $$`,
  // The chain has the hash in place of what is personal, so that it holds after an erasure. Entries from before have none, and keep their text.
  `CREATE OR REPLACE FUNCTION audit_entry_text(entry ${schema}.audit_log) RETURNS text
   LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
     SELECT CASE WHEN entry.salt IS NULL AND entry.erased_hash IS NULL
       THEN ${textOf(PERSONAL)}
       ELSE ${textOf(`encode(${schema}.audit_personal_hash(entry), 'hex')`)} END
   $$`,
  // The erasure is the one change that is allowed, whole, and once.
  refusesChanges(`
    IF TG_OP = 'UPDATE' AND OLD.erased_hash IS NULL THEN
      DECLARE
        erased record := OLD;
      BEGIN
        erased.erased_hash := coalesce(${schema}.audit_personal_hash(OLD), '');
        erased.salt := NULL;
        erased.address := NULL;
        erased.request_id := NULL;
        erased.details := '{}';
        IF NEW IS NOT DISTINCT FROM erased THEN
          RETURN NEW;
        END IF;
      END;
    END IF;`),
  // Of others' acts on the account nothing goes. A guess at its password is nobody's: the address may be the person's.
  `CREATE FUNCTION erase_audit_entries(person uuid, after uuid, batch integer) RETURNS uuid
   LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
   DECLARE
     last uuid;
   BEGIN
     IF EXISTS (SELECT FROM ${schema}.users WHERE id = person) OR NOT EXISTS (
       SELECT FROM ${schema}.audit_log WHERE target_id = person AND action = 'user.delete' AND outcome = 'success') THEN
       RAISE EXCEPTION 'The account % was not deleted: its entries stay', person;
     END IF;
     WITH seen AS MATERIALIZED (
       (SELECT id FROM ${schema}.audit_log WHERE user_id = person AND id > after ORDER BY id LIMIT batch)
       UNION
       (SELECT id FROM ${schema}.audit_log WHERE owner_id = person AND id > after ORDER BY id LIMIT batch)
       ORDER BY id LIMIT batch
     ), erased AS (
       UPDATE ${schema}.audit_log AS entry
       SET erased_hash = coalesce(${schema}.audit_personal_hash(entry), ''), salt = NULL, address = NULL,
         request_id = NULL, details = '{}'
       FROM seen
       WHERE entry.id = seen.id AND entry.erased_hash IS NULL
         AND (entry.user_id = person OR entry.actor IN ('anonymous', 'service'))
     )
     SELECT id INTO last FROM seen ORDER BY id DESC LIMIT 1;
     RETURN last;
   END
   $$`,
  'REVOKE EXECUTE ON FUNCTION erase_audit_entries(uuid, uuid, integer) FROM PUBLIC',
];

/** Entries with a salt no longer agree with their links then: only a version that knows it can verify them. */
const drop = (schema: string) => [
  'DROP FUNCTION erase_audit_entries(uuid, uuid, integer)',
  refusesChanges(''),
  `CREATE OR REPLACE FUNCTION audit_entry_text(entry ${schema}.audit_log) RETURNS text
   LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
     SELECT ${textOf(PERSONAL)}
   $$`,
  `DROP FUNCTION audit_personal_hash(${schema}.audit_log)`,
  'ALTER TABLE projects DROP COLUMN erased_at',
  'ALTER TABLE audit_log DROP COLUMN erased_hash, DROP COLUMN salt',
];

/** The columns of an entry in a notation that no setting of a connection changes. */
function textOf(personal: string): string {
  return `jsonb_build_array(entry.id, (extract(epoch FROM entry.at) * 1000000)::bigint, entry.actor, entry.action,
       entry.target_type, entry.target_id, entry.outcome, ${personal}, entry.user_id, entry.owner_id)::text`;
}

/** The function of the trigger. @param allowed returns the row that may be written */
function refusesChanges(allowed: string): string {
  return `CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' THEN
      RETURN OLD;
    END IF;${allowed}
    RAISE EXCEPTION 'The audit log is append-only';
  END
  $$`;
}

/**
 * What an entry of the audit log says of a person can be erased, and the chain still holds: a link covers a salted hash of it,
 * and without the salt nobody can try values. The role of the service has no right to change entries: a function does it.
 */
export class EraseDeletedAccounts1790011500100 implements MigrationInterface {
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
