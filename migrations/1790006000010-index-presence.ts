import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  agent_presence_online_idx: '(user_id, workload, agent_id) WHERE online_since IS NOT NULL',
  agent_presence_online_until_idx: '(user_id, online_until) WHERE online_since IS NOT NULL',
  agent_presence_lost_idx: '(user_id, workload, agent_id) WHERE online_since IS NULL AND losses > 0',
  agent_presence_lost_online_until_idx: '(user_id, online_until) WHERE online_since IS NULL AND losses > 0',
  agent_presence_never_connected_idx:
    '(user_id, workload, agent_id) WHERE online_since IS NULL AND losses = 0',
};

const up = [
  'SET lock_timeout = 0',
  `-- rows: one narrow row for each agent that was lost
   UPDATE agent_presence SET online_until = last_seen_at WHERE online_since IS NULL AND losses > 0`,
  ...Object.entries(INDEXES).flatMap(([name, definition]) => [
    `DROP INDEX CONCURRENTLY IF EXISTS ${name}`,
    `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON agent_presence ${definition}`,
  ]),
];

const down = Object.keys(INDEXES).map((name) => `DROP INDEX ${name}`);

export class IndexPresence1790006000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
