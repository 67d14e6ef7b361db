import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The lines of an agent's log get numbers in the order of their commits, for those who follow it. Earlier lines, and those
 * that an instance of the version before writes meanwhile, have the number 0, and nobody follows them. A batch is known
 * as stored by a name that its statement gives, in place of PostgreSQL's number of the transaction.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE agent_log_positions (
    agent_id uuid NOT NULL CONSTRAINT agent_log_positions_pkey PRIMARY KEY,
    last_position bigint NOT NULL
  ) WITH (fillfactor = 50)`,
  'ALTER TABLE agent_logs ADD COLUMN position bigint NOT NULL DEFAULT 0',
  'ALTER TABLE telemetry_batches ADD COLUMN stored_by uuid',
];

const down = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE telemetry_batches DROP COLUMN stored_by',
  'ALTER TABLE agent_logs DROP COLUMN position',
  'DROP TABLE agent_log_positions',
];

export class NumberLogLines1790011400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
