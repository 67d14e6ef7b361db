import type { MigrationInterface, QueryRunner } from 'typeorm';

const sourcesCheck = (sources: string) =>
  `ALTER TABLE runs ADD CONSTRAINT runs_source_check CHECK (source IN (${sources})) NOT VALID`;

/**
 * Spans of traces, partitioned by day as logs are. A span's id is made of its trace's and its own, so one that is sent twice is
 * stored once. A run may be known from its spans alone.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
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
  'ALTER TABLE runs DROP CONSTRAINT runs_source_check',
  sourcesCheck(`'api', 'schedule', 'agent', 'trace'`),
];

const down = [
  'DROP TABLE agent_spans',
  `DELETE FROM runs WHERE source = 'trace'`,
  'ALTER TABLE runs DROP CONSTRAINT runs_source_check',
  sourcesCheck(`'api', 'schedule', 'agent'`),
  'ALTER TABLE runs VALIDATE CONSTRAINT runs_source_check',
];

export class CreateSpans1790009000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
