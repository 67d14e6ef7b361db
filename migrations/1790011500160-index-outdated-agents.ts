import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents whose runtime is too old are few, and each overview counts them. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS agents_outdated_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS agents_outdated_idx
    ON agents (user_id, id) WHERE runtime -> 'protocol' < '1'::jsonb`,
];

export class IndexOutdatedAgents1790011500160 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX agents_outdated_idx');
  }
}
