import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  `SET LOCAL lock_timeout = '2s'`,
  'ALTER TABLE api_keys ADD COLUMN everybody boolean NOT NULL DEFAULT false',
  `ALTER TABLE api_keys ADD CONSTRAINT api_keys_everybody_check
    CHECK (NOT everybody OR (agent_id IS NULL AND role IS NULL)) NOT VALID`,
  `-- rows: the keys of scrapers, a few
   UPDATE api_keys SET everybody = true WHERE scopes = '{metrics}' AND agent_id IS NULL AND role IS NULL`,
];

const down = [
  'ALTER TABLE api_keys DROP CONSTRAINT api_keys_everybody_check',
  'ALTER TABLE api_keys DROP COLUMN everybody',
];

/**
 * A key of an operator reaches what is its person's own, unless it was made for everybody. The keys that read metrics and
 * nothing else become such keys, so that scrapers go on.
 */
export class LetKeysReachEverybody1790010700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
