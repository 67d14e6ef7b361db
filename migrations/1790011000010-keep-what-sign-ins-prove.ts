import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the identity provider has said of a session's sign-in; null: the session began with a password, or before this column. */
const up = [`SET LOCAL lock_timeout = '2s'`, 'ALTER TABLE sessions ADD COLUMN sign_in_proof text[]'];

export class KeepWhatSignInsProve1790011000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN sign_in_proof');
  }
}
