import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The column has the name that the code uses. */
export class NameAssignedInterval1790000900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE agent_presence RENAME COLUMN told_interval_seconds TO assigned_interval_seconds',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE agent_presence RENAME COLUMN assigned_interval_seconds TO told_interval_seconds',
    );
  }
}
