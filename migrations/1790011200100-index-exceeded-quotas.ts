import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The overview asks which agents of a project are refused by a quota, among those of everybody. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS quota_uses_exceeded_project_id_day_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS quota_uses_exceeded_project_id_day_idx
     ON quota_uses (project_id, day) WHERE exceeded_at IS NOT NULL`,
];

export class IndexExceededQuotas1790011200100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX quota_uses_exceeded_project_id_day_idx');
  }
}
