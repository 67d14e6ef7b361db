import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A membership by a group of the identity provider ends by itself, unless the provider confirms it. To ask the provider
 * at each refresh, a session keeps the provider's refresh token, encrypted.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE project_members ADD COLUMN group_name text, ADD COLUMN expires_at timestamptz',
  `ALTER TABLE project_members ADD CONSTRAINT project_members_group_check CHECK (
    (source = 'group') = (group_name IS NOT NULL) AND (source = 'group') = (expires_at IS NOT NULL)
  ) NOT VALID`,
  'ALTER TABLE sessions ADD COLUMN provider_grant text, ADD COLUMN provider_asked_at timestamptz',
];

const down = [
  'ALTER TABLE sessions DROP COLUMN provider_asked_at, DROP COLUMN provider_grant',
  'ALTER TABLE project_members DROP CONSTRAINT project_members_group_check',
  'ALTER TABLE project_members DROP COLUMN expires_at, DROP COLUMN group_name',
];

export class EndGroupMemberships1790007000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
