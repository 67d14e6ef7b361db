import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A deleted project is marked as such: what it leaves is deleted in the background, because it may have millions of
 * events.
 */
const up = [`SET LOCAL lock_timeout = '2s'`, 'ALTER TABLE projects ADD COLUMN deleted_at timestamptz'];

const down = ['ALTER TABLE projects DROP COLUMN deleted_at'];

export class DeleteProjects1790007000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
