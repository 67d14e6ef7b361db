import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Telemetry may be in a database of its own, so no foreign key leads from its tables to others. What its spans tell of usage is then
 * counted in a second transaction, which leaves its name, so that nothing is counted twice.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE agent_content_sizes DROP CONSTRAINT agent_content_sizes_agent_id_fkey',
  `CREATE TABLE counted_usage (
    id uuid CONSTRAINT counted_usage_pkey PRIMARY KEY,
    counted_at timestamptz NOT NULL DEFAULT now()
  )`,
];

const down = [
  `SET LOCAL lock_timeout = '2s'`,
  'DROP TABLE counted_usage',
  'DELETE FROM agent_content_sizes AS size WHERE NOT EXISTS (SELECT FROM agents WHERE agents.id = size.agent_id)',
  `ALTER TABLE agent_content_sizes ADD CONSTRAINT agent_content_sizes_agent_id_fkey
    FOREIGN KEY (agent_id) REFERENCES agents (id) ON DELETE CASCADE`,
];

export class PartTelemetry1790011500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
