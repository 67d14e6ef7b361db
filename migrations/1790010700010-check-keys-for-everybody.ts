import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only keys of people have the value. The validation locks nobody out. */
export class CheckKeysForEverybody1790010700010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_everybody_check');
  }

  async down(): Promise<void> {
    // The constraint itself is that of the migration before.
  }
}
