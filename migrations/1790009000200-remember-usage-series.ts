import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last value of each series of metrics that tells of usage, because exporters send totals. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE usage_series (
    agent_id uuid NOT NULL CONSTRAINT usage_series_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    series bytea NOT NULL,
    started_at timestamptz NOT NULL,
    last_point_at timestamptz,
    amount bigint NOT NULL DEFAULT 0,
    seen_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT usage_series_pkey PRIMARY KEY (agent_id, series, started_at)
  ) WITH (fillfactor = 70)`,
  'CREATE INDEX usage_series_seen_at_idx ON usage_series (seen_at)',
];

export class RememberUsageSeries1790009000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_series');
  }
}
