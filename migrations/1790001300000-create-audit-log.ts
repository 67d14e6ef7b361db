import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log. Its rows can't be changed, and those of the last 30 days can't be deleted; `AUDIT_RETENTION_DAYS` has
 * the same lower bound.
 */
const STATEMENTS = [
  `CREATE TABLE audit_log (
    id uuid CONSTRAINT audit_log_pkey PRIMARY KEY,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    target_type text NOT NULL,
    target_id uuid,
    outcome text NOT NULL CONSTRAINT audit_log_outcome_check CHECK (outcome IN ('success', 'refused')),
    address text,
    request_id text,
    details jsonb NOT NULL,
    user_id uuid,
    owner_id uuid
  )`,
  'CREATE INDEX audit_log_user_id_id_idx ON audit_log (user_id, id)',
  'CREATE INDEX audit_log_owner_id_id_idx ON audit_log (owner_id, id)',
  'CREATE INDEX audit_log_actor_id_idx ON audit_log (actor, id)',
  'CREATE INDEX audit_log_action_id_idx ON audit_log (action, id)',
  'CREATE INDEX audit_log_target_id_id_idx ON audit_log (target_id, id)',
  'CREATE INDEX audit_log_outcome_id_idx ON audit_log (outcome, id)',
  `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'The audit log is append-only';
  END
  $$`,
  `CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
   FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
  `CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
   FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
];

const UNDO = ['DROP TABLE audit_log', 'DROP FUNCTION refuse_audit_change()'];

export class CreateAuditLog1790001300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of UNDO) await runner.query(statement);
  }
}
