import type { MigrationInterface, QueryRunner } from 'typeorm';

const IS_SEVERE = `level IN ('warning', 'error', 'critical')`;

/**
 * The tables of telemetry in a database of their own, with the columns that they have in the main one, so that their rows can be
 * copied. `transaction_id` is empty: no version that reads it uses such a database.
 */
const up = [
  `CREATE TABLE agent_logs (
    agent_id uuid NOT NULL,
    "timestamp" timestamptz NOT NULL,
    id uuid NOT NULL,
    deployment_id uuid,
    run_id uuid,
    level text NOT NULL,
    message text NOT NULL,
    metadata jsonb,
    position bigint NOT NULL DEFAULT 0,
    transaction_id bigint NOT NULL DEFAULT 0,
    CONSTRAINT agent_logs_pkey PRIMARY KEY (agent_id, "timestamp", id)
  ) PARTITION BY RANGE ("timestamp")`,
  'CREATE TABLE agent_logs_default PARTITION OF agent_logs DEFAULT',
  'CREATE INDEX agent_logs_agent_id_position_idx ON agent_logs (agent_id, position)',
  'CREATE INDEX agent_logs_deployment_id_idx ON agent_logs (deployment_id, "timestamp", id)',
  'CREATE INDEX agent_logs_run_id_idx ON agent_logs (run_id, "timestamp", id) WHERE run_id IS NOT NULL',
  `CREATE INDEX agent_logs_severe_idx ON agent_logs (agent_id, "timestamp", id) WHERE ${IS_SEVERE}`,
  `CREATE INDEX agent_logs_deployment_id_severe_idx ON agent_logs (deployment_id, "timestamp", id) WHERE ${IS_SEVERE}`,
  `CREATE TABLE agent_log_positions (
    agent_id uuid NOT NULL CONSTRAINT agent_log_positions_pkey PRIMARY KEY,
    last_position bigint NOT NULL
  ) WITH (fillfactor = 50)`,

  `CREATE TABLE agent_metrics (
    agent_id uuid NOT NULL,
    "timestamp" timestamptz NOT NULL,
    id uuid NOT NULL,
    deployment_id uuid,
    run_id uuid,
    cpu_usage double precision,
    memory_usage double precision,
    uptime_seconds double precision,
    requests_processed bigint,
    errors_count bigint,
    custom jsonb,
    CONSTRAINT agent_metrics_pkey PRIMARY KEY (agent_id, "timestamp", id)
  ) PARTITION BY RANGE ("timestamp")`,
  'CREATE TABLE agent_metrics_default PARTITION OF agent_metrics DEFAULT',
  'CREATE INDEX agent_metrics_deployment_id_idx ON agent_metrics (deployment_id, "timestamp", id)',

  `CREATE TABLE telemetry_batches (
    agent_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    fingerprint bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    stored_by uuid,
    transaction_id bigint,
    CONSTRAINT telemetry_batches_pkey PRIMARY KEY (agent_id, key_hash)
  ) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0
  )`,
  'CREATE INDEX telemetry_batches_expires_at_idx ON telemetry_batches (expires_at)',

  `CREATE TABLE agent_spans (
    agent_id uuid NOT NULL,
    "timestamp" timestamptz NOT NULL,
    id uuid NOT NULL,
    trace_id bytea NOT NULL,
    span_id bytea NOT NULL,
    parent_span_id bytea,
    run_id uuid,
    deployment_id uuid,
    config_version integer,
    name text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    error_type text,
    error_message text,
    duration_ms double precision NOT NULL,
    model text,
    provider text,
    tool text,
    input_tokens integer,
    cache_read_tokens integer,
    cache_write_tokens integer,
    output_tokens integer,
    reasoning_tokens integer,
    cost_micros bigint,
    attributes jsonb,
    events jsonb,
    CONSTRAINT agent_spans_pkey PRIMARY KEY (agent_id, "timestamp", id),
    CONSTRAINT agent_spans_kind_check CHECK (kind IN ('agent', 'llm', 'tool', 'retrieval', 'embedding', 'other')),
    CONSTRAINT agent_spans_status_check CHECK (status IN ('unset', 'ok', 'error'))
  ) PARTITION BY RANGE ("timestamp")`,
  'CREATE TABLE agent_spans_default PARTITION OF agent_spans DEFAULT',
  'CREATE INDEX agent_spans_run_id_idx ON agent_spans (run_id, "timestamp", id) WHERE run_id IS NOT NULL',

  `CREATE TABLE agent_span_contents (
    agent_id uuid NOT NULL,
    "timestamp" timestamptz NOT NULL,
    id uuid NOT NULL,
    content text,
    CONSTRAINT agent_span_contents_pkey PRIMARY KEY (agent_id, "timestamp", id)
  ) PARTITION BY RANGE ("timestamp")`,
  'CREATE TABLE agent_span_contents_default PARTITION OF agent_span_contents DEFAULT',
  `CREATE TABLE agent_content_sizes (
    agent_id uuid CONSTRAINT agent_content_sizes_pkey PRIMARY KEY,
    day date NOT NULL,
    bytes bigint NOT NULL
  )`,

  `CREATE TABLE uncounted_usage (
    id uuid CONSTRAINT uncounted_usage_pkey PRIMARY KEY,
    told jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE INDEX uncounted_usage_created_at_idx ON uncounted_usage (created_at)',
];

const down = [
  'uncounted_usage',
  'agent_content_sizes',
  'agent_span_contents',
  'agent_spans',
  'telemetry_batches',
  'agent_metrics',
  'agent_log_positions',
  'agent_logs',
].map((table) => `DROP TABLE ${table}`);

export class CreateTelemetry1790011500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
