import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the constraints of the two migrations before, without a lock that stops writes. */
const up = [
  'ALTER TABLE agents VALIDATE CONSTRAINT agents_project_fkey',
  'ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_project_fkey',
  'ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_role_check',
  'ALTER TABLE deployments VALIDATE CONSTRAINT deployments_project_fkey',
  'ALTER TABLE user_event_counters VALIDATE CONSTRAINT user_event_counters_project_fkey',
  'ALTER TABLE webhooks VALIDATE CONSTRAINT webhooks_project_fkey',
];

export class CheckOwners1790007000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    for (const statement of up) await runner.query(statement);
  }

  /** The constraints are dropped where they were added. */
  async down(): Promise<void> {}
}
