import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts keep when an operator has made a link to set their password, so that their owners read of it. */
const up = [`SET LOCAL lock_timeout = '2s'`, 'ALTER TABLE users ADD COLUMN password_reset_at timestamptz'];

export class TellOfPasswordLinks1790011000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN password_reset_at');
  }
}
