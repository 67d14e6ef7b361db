import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The timeline of an agent has the steps of all its deployments, newest first. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS deployment_events_agent_id_created_at_idx',
  'CREATE INDEX CONCURRENTLY IF NOT EXISTS deployment_events_agent_id_created_at_idx ON deployment_events (agent_id, created_at)',
];

const down = ['DROP INDEX deployment_events_agent_id_created_at_idx'];

export class IndexEventsOfAgents1790011200150 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
