import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Serves the retention of deliveries and of API keys. The reply of a kept request is always its route's success. */
const up = [
  // What is still to be sent is never deleted: a long backlog must not be read through to find what is.
  `CREATE INDEX webhook_deliveries_settled_idx ON webhook_deliveries (created_at) WHERE status <> 'pending'`,
  `CREATE INDEX api_keys_end_idx ON api_keys (least(expires_at, revoked_at))
    WHERE least(expires_at, revoked_at) IS NOT NULL`,
  `ALTER TABLE idempotency_records DROP COLUMN status_code`,
];

const down = [
  `TRUNCATE idempotency_records`,
  `ALTER TABLE idempotency_records ADD COLUMN status_code smallint NOT NULL`,
  `DROP INDEX api_keys_end_idx`,
  `DROP INDEX webhook_deliveries_settled_idx`,
];

export class BoundWhatGrows1790000700000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
