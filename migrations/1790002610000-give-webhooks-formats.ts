import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The format of a webhook's messages, and the last status code of its endpoint. */
export class GiveWebhooksFormats1790002610000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE webhooks
        ADD COLUMN format text NOT NULL DEFAULT 'standard'
          CONSTRAINT webhooks_format_check CHECK (format IN ('standard', 'slack', 'text')),
        ADD COLUMN last_status_code integer`,
    );
    await runner.query(`ALTER TABLE webhook_deliveries ADD COLUMN format text NOT NULL DEFAULT 'standard'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN format');
    await runner.query('ALTER TABLE webhooks DROP COLUMN last_status_code, DROP COLUMN format');
  }
}
