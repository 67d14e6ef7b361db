import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the constraint of the migration before, without a lock that stops writes. */
export class CheckTracedRuns1790009000110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE runs VALIDATE CONSTRAINT runs_source_check');
  }

  /** The constraint is dropped where it was added. */
  async down(): Promise<void> {}
}
