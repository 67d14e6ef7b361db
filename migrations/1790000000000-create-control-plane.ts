import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  `CREATE TABLE users (
    id uuid CONSTRAINT users_pkey PRIMARY KEY,
    email text NOT NULL,
    password_hash text NOT NULL,
    name text,
    is_active boolean NOT NULL DEFAULT true,
    is_admin boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  // Addresses are kept as typed and compared case-insensitively.
  `CREATE UNIQUE INDEX users_email_key ON users (lower(email))`,

  `CREATE TABLE agents (
    id uuid CONSTRAINT agents_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT agents_user_id_fkey REFERENCES users (id),
    name text NOT NULL,
    description text,
    type text NOT NULL,
    config text NOT NULL,
    status text NOT NULL
      CONSTRAINT agents_status_check CHECK (status IN ('creating', 'running', 'stopped', 'failed', 'deleting')),
    version text,
    hostname text,
    platform text,
    capabilities jsonb,
    metadata jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX agents_user_id_id_idx ON agents (user_id, id)`,
  `CREATE INDEX agents_user_id_status_id_idx ON agents (user_id, status, id)`,
  `CREATE INDEX agents_deleting_idx ON agents (id) WHERE status = 'deleting'`,

  // Written by every heartbeat: narrow, and with no index but its key, so that updates stay on their page.
  `CREATE TABLE agent_presence (
    agent_id uuid CONSTRAINT agent_presence_pkey PRIMARY KEY
      CONSTRAINT agent_presence_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    last_seen_at timestamptz,
    last_heartbeat_at timestamptz,
    online_since timestamptz,
    told_interval_seconds integer NOT NULL,
    losses smallint NOT NULL DEFAULT 0,
    losses_since timestamptz,
    reported_status text,
    reported_message text
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,

  `CREATE TABLE api_keys (
    id uuid CONSTRAINT api_keys_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT api_keys_user_id_fkey REFERENCES users (id),
    agent_id uuid CONSTRAINT api_keys_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    name text NOT NULL,
    key_prefix text NOT NULL,
    secret_hash bytea NOT NULL,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX api_keys_user_id_id_idx ON api_keys (user_id, id)`,
  `CREATE INDEX api_keys_agent_id_idx ON api_keys (agent_id)`,

  `CREATE TABLE deployments (
    id uuid CONSTRAINT deployments_pkey PRIMARY KEY,
    agent_id uuid NOT NULL CONSTRAINT deployments_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT deployments_user_id_fkey REFERENCES users (id),
    status text NOT NULL CONSTRAINT deployments_status_check
      CHECK (status IN ('deploying', 'running', 'ready', 'stopped', 'failed', 'killed')),
    status_source text NOT NULL
      CONSTRAINT deployments_status_source_check CHECK (status_source IN ('user', 'agent', 'monitor')),
    failure_cause text CONSTRAINT deployments_failure_cause_check
      CHECK (failure_cause IN ('reported', 'deadline_exceeded', 'heartbeat_lost', 'stalled')),
    replicas integer NOT NULL CONSTRAINT deployments_replicas_check CHECK (replicas >= 0),
    ready_replicas integer NOT NULL DEFAULT 0
      CONSTRAINT deployments_ready_replicas_check CHECK (ready_replicas >= 0),
    generation integer NOT NULL,
    start_generation integer NOT NULL,
    observed_generation integer,
    last_sequence integer NOT NULL,
    node_id text,
    error_message text,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX deployments_user_id_id_idx ON deployments (user_id, id)`,
  `CREATE INDEX deployments_user_id_status_id_idx ON deployments (user_id, status, id)`,
  `CREATE INDEX deployments_agent_id_id_idx ON deployments (agent_id, id)`,
  `CREATE INDEX deployments_active_agent_id_idx ON deployments (agent_id)
    WHERE status IN ('deploying', 'running', 'ready')`,
  `CREATE INDEX deployments_deploying_started_at_idx ON deployments (started_at) WHERE status = 'deploying'`,

  // How many lifecycle events a user has had. Written by every transition: narrow, its updates stay on their page.
  `CREATE TABLE user_event_counters (
    user_id uuid CONSTRAINT user_event_counters_pkey PRIMARY KEY
      CONSTRAINT user_event_counters_user_id_fkey REFERENCES users (id),
    last_sequence bigint NOT NULL
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)`,

  // No foreign keys: what happened outlives whom it happened to, else the removal of an agent would tear gaps into
  // its owner's sequence. That the user exists the counter's row vouches for.
  `CREATE TABLE deployment_events (
    id uuid CONSTRAINT deployment_events_pkey PRIMARY KEY,
    user_id uuid NOT NULL,
    user_sequence bigint NOT NULL,
    agent_id uuid NOT NULL,
    deployment_id uuid NOT NULL,
    sequence integer NOT NULL,
    event_type text NOT NULL,
    status text NOT NULL,
    previous_status text,
    replicas integer NOT NULL,
    actor text NOT NULL,
    node_id text,
    error_message text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT deployment_events_deployment_id_sequence_key UNIQUE (deployment_id, sequence),
    CONSTRAINT deployment_events_user_id_user_sequence_key UNIQUE (user_id, user_sequence)
  )`,
  `CREATE INDEX deployment_events_deployment_id_event_type_sequence_idx
    ON deployment_events (deployment_id, event_type, sequence)`,
  `CREATE INDEX deployment_events_deployment_id_status_sequence_idx
    ON deployment_events (deployment_id, status, sequence)`,

  `CREATE TABLE commands (
    id uuid CONSTRAINT commands_pkey PRIMARY KEY,
    agent_id uuid NOT NULL CONSTRAINT commands_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    deployment_id uuid NOT NULL
      CONSTRAINT commands_deployment_id_fkey REFERENCES deployments (id) ON DELETE CASCADE,
    sequence integer NOT NULL,
    generation integer NOT NULL,
    action text NOT NULL
      CONSTRAINT commands_action_check CHECK (action IN ('deploy', 'scale', 'restart', 'stop', 'kill')),
    parameters jsonb NOT NULL,
    state text NOT NULL DEFAULT 'pending' CONSTRAINT commands_state_check
      CHECK (state IN ('pending', 'leased', 'succeeded', 'failed', 'dead', 'superseded')),
    attempts smallint NOT NULL DEFAULT 0,
    leased_until timestamptz,
    result jsonb,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    leased_at timestamptz,
    acknowledged_at timestamptz,
    settled_at timestamptz,
    CONSTRAINT commands_deployment_id_sequence_key UNIQUE (deployment_id, sequence),
    CONSTRAINT commands_settled_check CHECK ((settled_at IS NULL) = (state IN ('pending', 'leased')))
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`,
  // What polls read: only what is not settled yet, so it stays small for ever.
  `CREATE INDEX commands_unsettled_idx ON commands (agent_id, deployment_id, sequence)
    WHERE settled_at IS NULL`,
  `CREATE INDEX commands_exhausted_idx ON commands (leased_until) WHERE state = 'leased'`,
  `CREATE INDEX commands_agent_id_id_idx ON commands (agent_id, id)`,

  `CREATE TABLE agent_logs (
    agent_id uuid NOT NULL,
    "timestamp" timestamptz NOT NULL,
    id uuid NOT NULL,
    deployment_id uuid,
    level text NOT NULL,
    message text NOT NULL,
    metadata jsonb,
    CONSTRAINT agent_logs_pkey PRIMARY KEY (agent_id, "timestamp", id)
  ) PARTITION BY RANGE ("timestamp")`,
  `CREATE INDEX agent_logs_deployment_id_idx ON agent_logs (deployment_id, "timestamp", id)`,
  `CREATE TABLE agent_logs_default PARTITION OF agent_logs DEFAULT`,

  `CREATE TABLE agent_metrics (
    agent_id uuid NOT NULL,
    "timestamp" timestamptz NOT NULL,
    id uuid NOT NULL,
    deployment_id uuid,
    cpu_usage double precision,
    memory_usage double precision,
    uptime_seconds double precision,
    requests_processed bigint,
    errors_count bigint,
    custom jsonb,
    CONSTRAINT agent_metrics_pkey PRIMARY KEY (agent_id, "timestamp", id)
  ) PARTITION BY RANGE ("timestamp")`,
  `CREATE INDEX agent_metrics_deployment_id_idx ON agent_metrics (deployment_id, "timestamp", id)`,
  `CREATE TABLE agent_metrics_default PARTITION OF agent_metrics DEFAULT`,

  `CREATE TABLE idempotency_records (
    key_hash bytea CONSTRAINT idempotency_records_pkey PRIMARY KEY,
    fingerprint bytea NOT NULL,
    status_code smallint NOT NULL,
    sealed_reply bytea NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX idempotency_records_expires_at_idx ON idempotency_records (expires_at)`,

  // In the form that rate-limiter-flexible reads and writes. Losing it in a crash only forgets counts.
  `CREATE UNLOGGED TABLE rate_limits (
    key varchar(255) CONSTRAINT rate_limits_pkey PRIMARY KEY,
    points integer NOT NULL DEFAULT 0,
    expire bigint
  )`,
];

const down = [
  'rate_limits',
  'idempotency_records',
  'agent_metrics',
  'agent_logs',
  'commands',
  'deployment_events',
  'user_event_counters',
  'deployments',
  'api_keys',
  'agent_presence',
  'agents',
  'users',
].map((table) => `DROP TABLE ${table}`);

export class CreateControlPlane1790000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
