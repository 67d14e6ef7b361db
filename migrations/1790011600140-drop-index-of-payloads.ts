import type { MigrationInterface, QueryRunner } from 'typeorm';

/** No statement uses this index any more: a run's messages are made for all webhooks of its project at once. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS webhooks_include_payloads_user_id_idx',
];

const down =
  'CREATE INDEX webhooks_include_payloads_user_id_idx ON webhooks (user_id) WHERE include_payloads';

export class DropIndexOfPayloads1790011600140 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}
