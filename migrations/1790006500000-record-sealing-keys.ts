import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The keys under which configs and signing secrets are sealed: each instance asks here under which one it seals, and whether
 * it knows all of them. Filled with what is stored; the newest text is under the key in use.
 */
const STATEMENTS = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE sealing_keys (
    id text NOT NULL CONSTRAINT sealing_keys_pkey PRIMARY KEY,
    is_in_use boolean NOT NULL
  )`,
  'CREATE UNIQUE INDEX sealing_keys_is_in_use_key ON sealing_keys (is_in_use) WHERE is_in_use',
  `-- rows: one for each key; the sealed texts are only read
   INSERT INTO sealing_keys (id, is_in_use)
   SELECT id, row_number() OVER (ORDER BY max(sealed_at) DESC, id) = 1
   FROM (
     SELECT split_part(config, ':', 2), created_at FROM agent_configs WHERE starts_with(config, 'sealed:')
     UNION ALL SELECT split_part(secret, ':', 2), updated_at FROM webhooks WHERE starts_with(secret, 'sealed:')
     UNION ALL SELECT split_part(previous_secret, ':', 2), created_at FROM webhooks
       WHERE starts_with(previous_secret, 'sealed:')
   ) AS sealed (id, sealed_at)
   GROUP BY id`,
];

export class RecordSealingKeys1790006500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sealing_keys');
  }
}
