import type { MigrationInterface, QueryRunner } from 'typeorm';

const COUNTERS = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'llm_calls',
  'tool_calls',
  'tool_errors',
  'cost_micros',
  'uncosted_calls',
];

/**
 * What a whole project used within an hour. The overview and most reports need no agents, and would read a row of each for every day:
 * 300,000 for a month of 10,000 agents.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE project_usage (
    project_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    model text NOT NULL,
    ${COUNTERS.map((name) => `${name} bigint NOT NULL DEFAULT 0`).join(',\n    ')},
    CONSTRAINT project_usage_pkey PRIMARY KEY (project_id, hour, model)
  ) WITH (fillfactor = 70)`,
  'CREATE INDEX project_usage_hour_idx ON project_usage (hour)',
  `-- rows: none in a version that has been released: the first one that counts usage has this table
  INSERT INTO project_usage (project_id, hour, model, ${COUNTERS.join(', ')})
    SELECT project_id, hour, model, ${COUNTERS.map((name) => `sum(${name})`).join(', ')} FROM usage_hourly GROUP BY 1, 2, 3`,
];

export class SumUpUsageOfProjects1790010000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE project_usage');
  }
}
