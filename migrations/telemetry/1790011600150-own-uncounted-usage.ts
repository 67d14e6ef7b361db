import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Usage that is not counted yet gets the agent of its spans, so that a cluster spreads it by `agent_id` as the spans are. The version
 * before stores what spans of several agents tell in one row without an agent: for it the column has a default.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `ALTER TABLE uncounted_usage ADD COLUMN agent_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'`,
  'ALTER TABLE uncounted_usage DROP CONSTRAINT uncounted_usage_pkey',
  // rows: those of the requests under way
  'ALTER TABLE uncounted_usage ADD CONSTRAINT uncounted_usage_pkey PRIMARY KEY (agent_id, id)',
];

const down = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE uncounted_usage DROP CONSTRAINT uncounted_usage_pkey',
  'ALTER TABLE uncounted_usage ADD CONSTRAINT uncounted_usage_pkey PRIMARY KEY (id)',
  'ALTER TABLE uncounted_usage DROP COLUMN agent_id',
];

export class OwnUncountedUsage1790011600150 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
