import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS project_members_expires_at_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS project_members_expires_at_idx ON project_members (expires_at)
    WHERE expires_at IS NOT NULL`,
];

export class IndexGroupMemberships1790007000110 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX project_members_expires_at_idx');
  }
}
