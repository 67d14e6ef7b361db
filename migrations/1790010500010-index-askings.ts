import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each question of an agent counts what it has asked within an hour, whatever became of that. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS approvals_agent_id_requested_at_idx',
  'CREATE INDEX CONCURRENTLY IF NOT EXISTS approvals_agent_id_requested_at_idx ON approvals (agent_id, requested_at)',
];

const down = ['DROP INDEX approvals_agent_id_requested_at_idx'];

export class IndexAskings1790010500010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
