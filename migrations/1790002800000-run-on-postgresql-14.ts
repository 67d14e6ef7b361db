import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replaces what only PostgreSQL 18 has: the function `uuidv7()`, and `old` in a `RETURNING`. */
const up = [
  // One statement writes a delivery for each of a user's webhooks, however many, so PostgreSQL makes the identifiers.
  // Layout of RFC 9562: 48 bits of milliseconds, the version, 12 bits of the millisecond's fraction so that the rows
  // of a statement keep their order, the variant, 62 random bits. clock_timestamp() counts microseconds.
  `CREATE FUNCTION make_uuidv7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT encode(
      substring(int8send(microseconds / 1000) FROM 3)
        || substring(int8send(28672 + (microseconds % 1000) * 4096 / 1000) FROM 7)
        || substring(uuid_send(gen_random_uuid()) FROM 9),
      'hex')::uuid
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds) AS now
  $$`,
  `ALTER TABLE webhook_deliveries ALTER COLUMN id SET DEFAULT make_uuidv7()`,
  // Null: stored by a version that did not keep it.
  `ALTER TABLE telemetry_batches ADD COLUMN transaction_id bigint`,
];

const down = [
  `ALTER TABLE telemetry_batches DROP COLUMN transaction_id`,
  `ALTER TABLE webhook_deliveries ALTER COLUMN id DROP DEFAULT`,
  `DROP FUNCTION make_uuidv7()`,
];

export class RunOnPostgresql141790002800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
