import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time at which runtimes were refused, and indexes for the retention of events, commands and deployments. */
const STATEMENTS = [
  `CREATE TABLE service_deafness (
    is_only_row boolean DEFAULT true CONSTRAINT service_deafness_pkey PRIMARY KEY
      CONSTRAINT service_deafness_is_only_row_check CHECK (is_only_row),
    deaf_at timestamptz NOT NULL
  )`,
  `INSERT INTO service_deafness (deaf_at) VALUES ('-infinity')`,
  `CREATE INDEX deployment_events_created_at_idx ON deployment_events (created_at)`,
  `CREATE INDEX commands_settled_at_idx ON commands (settled_at) WHERE settled_at IS NOT NULL`,
  `CREATE INDEX deployments_killed_ended_at_idx ON deployments (ended_at) WHERE status = 'killed'`,
];

const UNDO = [
  'DROP INDEX deployments_killed_ended_at_idx',
  'DROP INDEX commands_settled_at_idx',
  'DROP INDEX deployment_events_created_at_idx',
  'DROP TABLE service_deafness',
];

export class HearAndForget1790000800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of UNDO) await runner.query(statement);
  }
}
