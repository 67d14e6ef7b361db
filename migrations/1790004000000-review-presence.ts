import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  `SET LOCAL lock_timeout = '2s'`,
  // Whatever these columns say is not used before the first review of the monitor has ended.
  `ALTER TABLE agent_presence
    ADD COLUMN contact text NOT NULL DEFAULT 'none',
    ADD COLUMN quiet_since timestamptz,
    ADD COLUMN workload text NOT NULL DEFAULT 'idle',
    ADD CONSTRAINT agent_presence_contact_check CHECK (contact IN ('none', 'lost', 'quiet', 'recent')) NOT VALID`,
  `CREATE TABLE presence_review (
    is_only_row boolean DEFAULT true CONSTRAINT presence_review_pkey PRIMARY KEY
      CONSTRAINT presence_review_is_only_row_check CHECK (is_only_row),
    reviewed_at timestamptz NOT NULL,
    holds_until timestamptz NOT NULL
  )`,
  `INSERT INTO presence_review (reviewed_at, holds_until) VALUES ('-infinity', '-infinity')`,
  `CREATE FUNCTION keep_agent_presence() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF NEW.status = 'deleting' THEN
       DELETE FROM agent_presence WHERE agent_id = NEW.id;
     ELSE
       UPDATE agent_presence SET workload = NEW.workload WHERE agent_id = NEW.id;
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER agents_changed_in_presence AFTER UPDATE ON agents FOR EACH ROW
    WHEN ((OLD.workload, OLD.status = 'deleting') IS DISTINCT FROM (NEW.workload, NEW.status = 'deleting'))
    EXECUTE FUNCTION keep_agent_presence()`,
];

const down = [
  'DROP TRIGGER agents_changed_in_presence ON agents',
  'DROP FUNCTION keep_agent_presence',
  'DROP TABLE presence_review',
  'ALTER TABLE agent_presence DROP COLUMN workload, DROP COLUMN quiet_since, DROP COLUMN contact',
];

/** The contact with each agent as the monitor saw it last, and its workload, so that an index counts both together. */
export class ReviewPresence1790004000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
