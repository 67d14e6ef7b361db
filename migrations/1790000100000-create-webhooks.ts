import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  `CREATE TABLE webhooks (
    id uuid CONSTRAINT webhooks_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT webhooks_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    url text NOT NULL,
    events text[] NOT NULL,
    description text,
    is_active boolean NOT NULL,
    disabled_reason text,
    secret text NOT NULL,
    previous_secret text,
    previous_secret_until timestamptz,
    failing_since timestamptz,
    deleted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX webhooks_user_id_id_idx ON webhooks (user_id, id)`,
  `CREATE INDEX webhooks_deleted_idx ON webhooks (id) WHERE deleted_at IS NOT NULL`,

  `CREATE TABLE webhook_deliveries (
    id uuid CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
    webhook_id uuid NOT NULL
      CONSTRAINT webhook_deliveries_webhook_id_fkey REFERENCES webhooks (id) ON DELETE CASCADE,
    event text NOT NULL,
    payload text NOT NULL,
    status text NOT NULL DEFAULT 'pending'
      CONSTRAINT webhook_deliveries_status_check CHECK (status IN ('pending', 'succeeded', 'failed')),
    status_code integer,
    response_body text,
    error_message text,
    attempts integer NOT NULL DEFAULT 0,
    failures smallint NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    is_leased boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz,
    CONSTRAINT webhook_deliveries_pending_check CHECK ((next_attempt_at IS NOT NULL) = (status = 'pending'))
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`,
  // The queue: only what is not settled yet, by webhook, so that the backlog of one is stepped over in one step.
  `CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (webhook_id, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL`,
  // The history, and its filters. Old rows are found by the primary key: its values begin with their time.
  `CREATE INDEX webhook_deliveries_webhook_id_id_idx ON webhook_deliveries (webhook_id, id)`,
  `CREATE INDEX webhook_deliveries_webhook_id_event_id_idx ON webhook_deliveries (webhook_id, event, id)`,
  `CREATE INDEX webhook_deliveries_unsuccessful_idx ON webhook_deliveries (webhook_id, id)
    WHERE status <> 'succeeded'`,
];

const down = ['webhook_deliveries', 'webhooks'].map((table) => `DROP TABLE ${table}`);

export class CreateWebhooks1790000100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
