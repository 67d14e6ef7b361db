import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `ALTER TABLE agent_presence ADD COLUMN online_until timestamptz NOT NULL DEFAULT '-infinity'`,
  `-- No release has them.
   -- squawk-ignore ban-drop-column
   ALTER TABLE agent_presence DROP COLUMN contact, DROP COLUMN quiet_since`,
  `-- No release has it.
   -- squawk-ignore ban-drop-table
   DROP TABLE presence_review`,
];

const down = [
  `CREATE TABLE presence_review (
    is_only_row boolean DEFAULT true CONSTRAINT presence_review_pkey PRIMARY KEY
      CONSTRAINT presence_review_is_only_row_check CHECK (is_only_row),
    reviewed_at timestamptz NOT NULL,
    holds_until timestamptz NOT NULL
  )`,
  `INSERT INTO presence_review (reviewed_at, holds_until) VALUES ('-infinity', '-infinity')`,
  `ALTER TABLE agent_presence
    ADD COLUMN contact text NOT NULL DEFAULT 'none',
    ADD COLUMN quiet_since timestamptz,
    ADD CONSTRAINT agent_presence_contact_check CHECK (contact IN ('none', 'lost', 'quiet', 'recent'))`,
  `CREATE INDEX agent_presence_user_id_contact_workload_agent_id_idx
    ON agent_presence (user_id, contact, workload, agent_id)`,
  `CREATE INDEX agent_presence_lost_user_id_quiet_since_idx
    ON agent_presence (user_id, quiet_since) WHERE contact = 'lost'`,
  'ALTER TABLE agent_presence DROP COLUMN online_until',
];

/** A time before which an agent's timeout is not over, in place of the monitor's reviews. An index finds silent agents by it. */
export class RecordOnlineUntil1790006000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
