import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Index for the newest deployment of an agent, which each step of a deployment reads. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS deployments_agent_id_created_at_id_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS deployments_agent_id_created_at_id_idx
     ON deployments (agent_id, created_at, id)`,
];

export class FindNewestDeployment1790006200000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX deployments_agent_id_created_at_id_idx');
  }
}
