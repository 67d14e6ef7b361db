import type { MigrationInterface, QueryRunner } from 'typeorm';

/** User keys have scopes; those that exist keep every right. Keys of agents have none. */
const STATEMENTS = [
  `ALTER TABLE api_keys ADD COLUMN scopes text[] NOT NULL DEFAULT '{}'`,
  `UPDATE api_keys SET scopes = '{*}' WHERE agent_id IS NULL`,
  `ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check
     CHECK ((agent_id IS NULL) = (cardinality(scopes) > 0))`,
];

const UNDO = ['ALTER TABLE api_keys DROP COLUMN scopes'];

export class ScopeUserKeys1790001310000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of UNDO) await runner.query(statement);
  }
}
