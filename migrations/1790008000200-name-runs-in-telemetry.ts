import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries say to which run they belong. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE agent_logs ADD COLUMN run_id uuid',
  'ALTER TABLE agent_metrics ADD COLUMN run_id uuid',
];

const down = ['ALTER TABLE agent_metrics DROP COLUMN run_id', 'ALTER TABLE agent_logs DROP COLUMN run_id'];

export class NameRunsInTelemetry1790008000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
