import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which batches of logs and metrics have been stored under an `Idempotency-Key`, so that none is stored twice. */
const up = [
  // A row for each batch, and each is deleted a day later: narrow, and vacuumed in small bites.
  `CREATE TABLE telemetry_batches (
    agent_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    fingerprint bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT telemetry_batches_pkey PRIMARY KEY (agent_id, key_hash)
  ) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0
  )`,
  `CREATE INDEX telemetry_batches_expires_at_idx ON telemetry_batches (expires_at)`,
];

const down = [`DROP TABLE telemetry_batches`];

export class CreateTelemetryBatches1790000600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
