import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For those who follow an agent's logs: the transaction that wrote a row tells, against a snapshot, whether the row
 * has become visible since; neither agents' clocks nor ids made before the commit can. Rows that are there already
 * count as written by the migration.
 */
const up = [
  // A bigint, because that is what drivers and index conditions know; the only way there from an xid8 is its text.
  `CREATE FUNCTION current_transaction_id() RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT pg_current_xact_id()::text::bigint'`,
  `ALTER TABLE agent_logs ADD COLUMN transaction_id bigint NOT NULL DEFAULT current_transaction_id()`,
  `CREATE INDEX agent_logs_agent_id_transaction_id_idx ON agent_logs (agent_id, transaction_id)`,
];

const down = [
  `DROP INDEX agent_logs_agent_id_transaction_id_idx`,
  `ALTER TABLE agent_logs DROP COLUMN transaction_id`,
  `DROP FUNCTION current_transaction_id()`,
];

export class OrderLogsByTransaction1790000500000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
