import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace of the request that made a message, for whichever instance sends it. */
export class TraceDeliveries1790003500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE webhook_deliveries ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN traceparent');
  }
}
