import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks a constraint that was added without a check of the rows, without a lock that stops writes. */
export class CheckGroupMemberships1790007000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE project_members VALIDATE CONSTRAINT project_members_group_check');
  }

  /** The constraint is dropped where it was added. */
  async down(): Promise<void> {}
}
