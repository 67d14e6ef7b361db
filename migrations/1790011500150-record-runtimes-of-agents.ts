import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the runtime of an agent says of itself: its name, its version and the number of its protocol. */
const up = [`SET LOCAL lock_timeout = '2s'`, `ALTER TABLE agents ADD COLUMN runtime jsonb`];

export class RecordRuntimesOfAgents1790011500150 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE agents DROP COLUMN runtime');
  }
}
