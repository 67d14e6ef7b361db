import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATUSES = `('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'timed_out', 'abandoned')`;

/**
 * Runs: pieces of work that agents do, and the history of each. Each run is updated a few times and leaves the queue's index, so
 * dead rows are removed early: with 20,000 of them a queue of commands had a quarter of its throughput.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE runs (
    id uuid CONSTRAINT runs_pkey PRIMARY KEY,
    agent_id uuid NOT NULL CONSTRAINT runs_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    project_id uuid NOT NULL,
    deployment_id uuid CONSTRAINT runs_deployment_id_fkey REFERENCES deployments (id) ON DELETE SET NULL,
    config_version integer,
    name text,
    status text NOT NULL,
    status_source text NOT NULL,
    source text NOT NULL,
    actor text NOT NULL,
    input jsonb,
    output jsonb,
    error text,
    progress jsonb,
    labels jsonb NOT NULL DEFAULT '{}',
    conversation_id text,
    parent_run_id uuid,
    retry_of uuid,
    run_key text,
    attempt integer NOT NULL DEFAULT 0,
    max_attempts integer NOT NULL DEFAULT 1,
    first_delay_seconds integer NOT NULL DEFAULT 0,
    retries_abandoned boolean NOT NULL DEFAULT false,
    priority smallint NOT NULL DEFAULT 5,
    timeout_seconds integer,
    trace_id text NOT NULL,
    claim_key bytea,
    waiting_reason text,
    missed_since timestamptz,
    last_sequence integer NOT NULL DEFAULT 1,
    queued_at timestamptz NOT NULL DEFAULT now(),
    available_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    started_at timestamptz,
    timeout_at timestamptz,
    cancel_requested_at timestamptz,
    last_seen_at timestamptz,
    ended_at timestamptz,
    CONSTRAINT runs_status_check CHECK (status IN ${STATUSES}),
    CONSTRAINT runs_status_source_check CHECK (status_source IN ('user', 'agent', 'monitor')),
    CONSTRAINT runs_source_check CHECK (source IN ('api', 'schedule', 'agent')),
    CONSTRAINT runs_ended_check CHECK ((ended_at IS NULL) = (status IN ('queued', 'running', 'waiting'))),
    CONSTRAINT runs_priority_check CHECK (priority BETWEEN 0 AND 9)
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`,
  'CREATE INDEX runs_project_id_id_idx ON runs (project_id, id)',
  'CREATE INDEX runs_project_id_status_id_idx ON runs (project_id, status, id)',
  'CREATE INDEX runs_agent_id_id_idx ON runs (agent_id, id)',
  'CREATE INDEX runs_deployment_id_idx ON runs (deployment_id)',
  `CREATE INDEX runs_project_id_conversation_id_id_idx ON runs (project_id, conversation_id, id)
    WHERE conversation_id IS NOT NULL`,
  'CREATE UNIQUE INDEX runs_agent_id_run_key_idx ON runs (agent_id, run_key) WHERE run_key IS NOT NULL',
  // The order of the queue: highest priority first, then oldest.
  `CREATE INDEX runs_queue_idx ON runs (agent_id, priority DESC, queued_at, id) WHERE status = 'queued'`,
  `CREATE INDEX runs_open_agent_id_status_idx ON runs (agent_id, status)
    WHERE status IN ('queued', 'running', 'waiting')`,
  `CREATE INDEX runs_timeout_at_idx ON runs (timeout_at) WHERE status IN ('running', 'waiting')`,
  `CREATE INDEX runs_expires_at_idx ON runs (expires_at) WHERE status = 'queued' AND expires_at IS NOT NULL`,
  'CREATE INDEX runs_ended_at_idx ON runs (ended_at) WHERE ended_at IS NOT NULL',
  `CREATE TABLE run_events (
    run_id uuid NOT NULL CONSTRAINT run_events_run_id_fkey REFERENCES runs (id) ON DELETE CASCADE,
    id uuid NOT NULL,
    sequence integer NOT NULL,
    event_type text NOT NULL,
    status text NOT NULL,
    previous_status text,
    attempt integer NOT NULL,
    actor text NOT NULL,
    message text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT run_events_pkey PRIMARY KEY (run_id, sequence),
    CONSTRAINT run_events_status_check CHECK (status IN ${STATUSES})
  )`,
];

const down = ['DROP TABLE run_events', 'DROP TABLE runs'];

export class CreateRuns1790008000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
