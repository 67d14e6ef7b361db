import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the events of a project that have no number yet. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS deployment_events_unnumbered_user_id_position_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS deployment_events_unnumbered_user_id_position_idx
    ON deployment_events (user_id, position) WHERE user_sequence IS NULL`,
];

const down = ['DROP INDEX deployment_events_unnumbered_user_id_position_idx'];

export class IndexEventsWithoutNumber1790011300010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
