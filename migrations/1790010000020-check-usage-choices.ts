import type { MigrationInterface, QueryRunner } from 'typeorm';

/** All rows have the default. The validation locks nobody out. */
export class CheckUsageChoices1790010000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE agents VALIDATE CONSTRAINT agents_usage_from_check');
  }

  async down(): Promise<void> {
    // The constraint itself is that of the migration before.
  }
}
