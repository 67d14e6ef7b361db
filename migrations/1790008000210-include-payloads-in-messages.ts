import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks may ask for the input and output of runs. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE webhooks ADD COLUMN include_payloads boolean NOT NULL DEFAULT false',
];

const down = ['ALTER TABLE webhooks DROP COLUMN include_payloads'];

export class IncludePayloadsInMessages1790008000210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
