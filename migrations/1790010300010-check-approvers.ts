import type { MigrationInterface, QueryRunner } from 'typeorm';

/** No row has a value yet. The validation locks nobody out. */
export class CheckApprovers1790010300010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE projects VALIDATE CONSTRAINT projects_two_approvers_for_check');
  }

  async down(): Promise<void> {
    // The constraint itself is that of the migration before.
  }
}
