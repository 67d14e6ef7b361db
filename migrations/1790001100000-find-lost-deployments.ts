import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes for the lost deployments of an agent, which its heartbeat brings back, and for the keys of users alone. */
export class FindLostDeployments1790001100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX deployments_lost_agent_id_idx ON deployments (agent_id) WHERE failure_cause = 'heartbeat_lost'`,
    );
    await runner.query('CREATE INDEX api_keys_user_id_idx ON api_keys (user_id, id) WHERE agent_id IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_user_id_idx');
    await runner.query('DROP INDEX deployments_lost_agent_id_idx');
  }
}
