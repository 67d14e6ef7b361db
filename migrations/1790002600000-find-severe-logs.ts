import type { MigrationInterface, QueryRunner } from 'typeorm';

const IS_SEVERE = `level IN ('warning', 'error', 'critical')`;

/** Warnings and errors are found without reading the entries between them. Others are not in these indexes. */
export class FindSevereLogs1790002600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX agent_logs_severe_idx ON agent_logs (agent_id, "timestamp", id) WHERE ${IS_SEVERE}`,
    );
    await runner.query(
      `CREATE INDEX agent_logs_deployment_id_severe_idx ON agent_logs (deployment_id, "timestamp", id) WHERE ${IS_SEVERE}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX agent_logs_deployment_id_severe_idx');
    await runner.query('DROP INDEX agent_logs_severe_idx');
  }
}
