import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An attempt that was given back keeps its number, so those are counted that don't count as attempts. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE runs ADD COLUMN returned_attempts integer NOT NULL DEFAULT 0',
];

const down = ['ALTER TABLE runs DROP COLUMN returned_attempts'];

export class NumberReturnedAttempts1790010200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
