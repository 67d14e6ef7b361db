import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'runs_agent_id_trace_id_idx';

/** The run of a trace is found by the agent and the trace. */
export class IndexTracedRuns1790009000120 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET lock_timeout = 0');
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${INDEX}`);
    await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${INDEX} ON runs (agent_id, trace_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${INDEX}`);
  }
}
