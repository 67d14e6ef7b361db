import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the index of a run's entries is made of; it has no entry without a run, so it costs nothing where there are none. */
const OF_RUNS = `(run_id, "timestamp", id) WHERE run_id IS NOT NULL`;
const WEBHOOKS_INDEX = 'webhooks_include_payloads_user_id_idx';

/** The partitions of the logs that have no part of the index yet. */
const PARTITIONS_WITHOUT = `SELECT child.relname AS name FROM pg_inherits
  JOIN pg_class AS child ON child.oid = inhrelid
  WHERE inhparent = 'agent_logs'::regclass AND NOT EXISTS (
    SELECT FROM pg_index AS part JOIN pg_inherits AS attached ON attached.inhrelid = part.indexrelid
    WHERE part.indrelid = child.oid AND attached.inhparent = 'agent_logs_run_id_idx'::regclass)`;

/**
 * The entries of a run are found by it, and so are the webhooks that get its input and output. Each partition of the logs gets its
 * index while entries are written to it. Metrics are not looked up by their run.
 */
export class IndexRunsInTelemetry1790008000220 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET lock_timeout = 0');
    await runner.query(
      `-- The parent alone has no rows.
       -- squawk-ignore require-concurrent-index-creation
       CREATE INDEX IF NOT EXISTS agent_logs_run_id_idx ON ONLY agent_logs ${OF_RUNS}`.replaceAll(
        /^ +/gm,
        '',
      ),
    );
    const partitions = (await runner.query(PARTITIONS_WITHOUT)) as { readonly name: string }[];
    for (const { name } of partitions) {
      const index = `${name}_run_id_idx`;
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS "${index}" ON "${name}" ${OF_RUNS}`);
      await runner.query(`ALTER INDEX agent_logs_run_id_idx ATTACH PARTITION "${index}"`);
    }
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${WEBHOOKS_INDEX}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${WEBHOOKS_INDEX} ON webhooks (user_id) WHERE include_payloads`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${WEBHOOKS_INDEX}`);
    await runner.query('DROP INDEX agent_logs_run_id_idx');
  }
}
