import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is counted; each number in one bucket only, except that reasoning tokens are within the output. */
const BUCKETS = `input_tokens bigint NOT NULL DEFAULT 0,
    cache_read_tokens bigint NOT NULL DEFAULT 0,
    cache_write_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    reasoning_tokens bigint NOT NULL DEFAULT 0,
    llm_calls bigint NOT NULL DEFAULT 0,
    tool_calls bigint NOT NULL DEFAULT 0,
    tool_errors bigint NOT NULL DEFAULT 0,
    cost_micros bigint NOT NULL DEFAULT 0,
    uncosted_calls bigint NOT NULL DEFAULT 0`;
const SOURCES = `('reports', 'metrics', 'spans')`;
/** Rows are counted up many times an hour. */
const COUNTED_UP = 'WITH (fillfactor = 70)';

/**
 * Usage of models and tools. What was spent belongs to the project for ever, so its rows outlive the agent and stay where they are
 * when it is handed over. The sum of each day is stored, too: a month of 10,000 agents has seven million hours.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE usage_hourly (
    project_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    model text NOT NULL,
    config_version integer NOT NULL,
    usage_from text NOT NULL,
    ${BUCKETS},
    CONSTRAINT usage_hourly_pkey PRIMARY KEY (project_id, hour, agent_id, model, config_version),
    CONSTRAINT usage_hourly_usage_from_check CHECK (usage_from IN ${SOURCES})
  ) ${COUNTED_UP}`,
  'CREATE INDEX usage_hourly_agent_id_hour_idx ON usage_hourly (agent_id, hour)',
  'CREATE INDEX usage_hourly_hour_idx ON usage_hourly (hour)',
  `CREATE TABLE usage_daily (
    project_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    day date NOT NULL,
    model text NOT NULL,
    config_version integer NOT NULL,
    ${BUCKETS},
    CONSTRAINT usage_daily_pkey PRIMARY KEY (project_id, day, agent_id, model, config_version)
  ) ${COUNTED_UP}`,
  'CREATE INDEX usage_daily_agent_id_day_idx ON usage_daily (agent_id, day)',
  'CREATE INDEX usage_daily_day_idx ON usage_daily (day)',
  `CREATE TABLE run_usage (
    run_id uuid NOT NULL CONSTRAINT run_usage_run_id_fkey REFERENCES runs (id) ON DELETE CASCADE,
    model text NOT NULL,
    usage_from text NOT NULL,
    ${BUCKETS},
    CONSTRAINT run_usage_pkey PRIMARY KEY (run_id, model),
    CONSTRAINT run_usage_usage_from_check CHECK (usage_from IN ${SOURCES})
  ) ${COUNTED_UP}`,
  `CREATE TABLE usage_sources (
    agent_id uuid NOT NULL CONSTRAINT usage_sources_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    model text NOT NULL,
    usage_from text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT usage_sources_pkey PRIMARY KEY (agent_id, model),
    CONSTRAINT usage_sources_usage_from_check CHECK (usage_from IN ${SOURCES})
  )`,
  `CREATE TABLE model_prices (
    id uuid CONSTRAINT model_prices_pkey PRIMARY KEY,
    provider text NOT NULL,
    model text NOT NULL,
    input_micros bigint NOT NULL,
    cache_read_micros bigint NOT NULL,
    cache_write_micros bigint NOT NULL,
    output_micros bigint NOT NULL,
    valid_from timestamptz NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT model_prices_provider_model_valid_from_key UNIQUE (provider, model, valid_from)
  )`,
];

const down = ['model_prices', 'usage_sources', 'run_usage', 'usage_daily', 'usage_hourly'].map(
  (table) => `DROP TABLE ${table}`,
);

export class CreateUsage1790009000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
