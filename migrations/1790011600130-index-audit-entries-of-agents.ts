import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The agent of an entry: the target, or the one to which the target belongs. */
const AGENT = `(CASE target_type WHEN 'agent' THEN target_id::text ELSE details ->> 'agent_id' END)`;

/** Acts on an agent and on all that belongs to it are found together, newest first. Most entries are about no agent. */
const up = [
  'SET lock_timeout = 0',
  'DROP INDEX CONCURRENTLY IF EXISTS audit_log_agent_id_id_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_log_agent_id_id_idx ON audit_log (${AGENT}, id) WHERE ${AGENT} IS NOT NULL`,
];

const down = ['DROP INDEX audit_log_agent_id_id_idx'];

export class IndexAuditEntriesOfAgents1790011600130 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
