import type { MigrationInterface, QueryRunner } from 'typeorm';

const up = [
  'SET lock_timeout = 0',
  `-- rows: one narrow row for each agent that has deployments
   UPDATE agent_presence SET workload = agent.workload
   FROM agents AS agent WHERE agent.id = agent_id AND agent.workload <> agent_presence.workload`,
  `-- rows: agents that are being removed, a few
   DELETE FROM agent_presence USING agents AS agent WHERE agent.id = agent_id AND agent.status = 'deleting'`,
  `-- Does nothing where it was done before.
   -- squawk-ignore prefer-robust-stmts
   ALTER TABLE agent_presence VALIDATE CONSTRAINT agent_presence_contact_check`,
  'DROP INDEX CONCURRENTLY IF EXISTS agent_presence_user_id_contact_workload_agent_id_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS agent_presence_user_id_contact_workload_agent_id_idx
    ON agent_presence (user_id, contact, workload, agent_id)`,
  'DROP INDEX CONCURRENTLY IF EXISTS agent_presence_lost_user_id_quiet_since_idx',
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS agent_presence_lost_user_id_quiet_since_idx
    ON agent_presence (user_id, quiet_since) WHERE contact = 'lost'`,
  'DROP INDEX CONCURRENTLY IF EXISTS agent_presence_user_id_agent_id_idx',
  'DROP INDEX CONCURRENTLY IF EXISTS agents_user_id_workload_id_idx',
];

const down = [
  `CREATE INDEX agents_user_id_workload_id_idx ON agents (user_id, workload, id) WHERE status <> 'deleting'`,
  'CREATE INDEX agent_presence_user_id_agent_id_idx ON agent_presence (user_id, agent_id)',
  'DROP INDEX agent_presence_lost_user_id_quiet_since_idx',
  'DROP INDEX agent_presence_user_id_contact_workload_agent_id_idx',
];

export class IndexReviewedPresence1790004000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
