import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index of lists of agents has no agent that is being removed, so that the ids of a page are read from it alone. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS agents_present_user_id_id_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS agents_present_user_id_id_idx
     ON agents (user_id, id) WHERE status <> 'deleting'`,
  'DROP INDEX CONCURRENTLY IF EXISTS agents_user_id_id_idx',
];

const down = [
  'CREATE INDEX agents_user_id_id_idx ON agents (user_id, id)',
  'DROP INDEX agents_present_user_id_id_idx',
];

export class IndexPresentAgents1790009900000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
