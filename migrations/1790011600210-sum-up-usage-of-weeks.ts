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
 * Usage of agents by the week. A report on a month of 10,000 agents reads 90,000 rows instead of 300,000. Single agents are read by the
 * day, so the table has no index by agent.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE usage_weekly (
    project_id uuid NOT NULL,
    week date NOT NULL,
    agent_id uuid NOT NULL,
    model text NOT NULL,
    config_version integer NOT NULL,
    ${COUNTERS.map((name) => `${name} bigint NOT NULL DEFAULT 0`).join(',\n    ')},
    CONSTRAINT usage_weekly_pkey PRIMARY KEY (project_id, week, agent_id, model, config_version)
  ) WITH (fillfactor = 70)`,
  'CREATE INDEX usage_weekly_week_idx ON usage_weekly (week)',
  `-- rows: one for each agent, model and week
  INSERT INTO usage_weekly (project_id, week, agent_id, model, config_version, ${COUNTERS.join(', ')})
    SELECT project_id, date_trunc('week', day::timestamp)::date, agent_id, model, config_version,
      ${COUNTERS.map((name) => `sum(${name})`).join(', ')}
    FROM usage_daily GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
];

export class SumUpUsageOfWeeks1790011600210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_weekly');
  }
}
