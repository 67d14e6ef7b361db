import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rows of before satisfied a stricter check. Their validation locks nobody out. */
export class CheckWorkloads1790009200010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE agents VALIDATE CONSTRAINT agents_workload_check');
  }

  async down(): Promise<void> {
    // The constraint itself is that of the migration before.
  }
}
