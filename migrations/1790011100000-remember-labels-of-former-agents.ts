import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an agent has spent stays spent: budgets for a label count it by the labels that it had when it was removed or handed over. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE former_agents (
    project_id uuid NOT NULL CONSTRAINT former_agents_project_fkey REFERENCES projects (id) ON DELETE CASCADE,
    agent_id uuid NOT NULL,
    labels jsonb NOT NULL,
    left_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT former_agents_pkey PRIMARY KEY (project_id, agent_id)
  )`,
  'CREATE INDEX former_agents_left_at_idx ON former_agents (left_at)',
];

export class RememberLabelsOfFormerAgents1790011100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE former_agents');
  }
}
