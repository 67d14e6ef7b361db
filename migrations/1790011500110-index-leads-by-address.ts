import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The leads of an address go with the account that has it. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS leads_email_idx',
  'CREATE INDEX CONCURRENTLY IF NOT EXISTS leads_email_idx ON leads (email)',
];

export class IndexLeadsByAddress1790011500110 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX leads_email_idx');
  }
}
