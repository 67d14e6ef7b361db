import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = '(agent_id, position)';

/** The partitions of the logs that have no part of the index yet. */
const PARTITIONS_WITHOUT = `SELECT child.relname AS name FROM pg_inherits
  JOIN pg_class AS child ON child.oid = inhrelid
  WHERE inhparent = 'agent_logs'::regclass AND NOT EXISTS (
    SELECT FROM pg_index AS part JOIN pg_inherits AS attached ON attached.inhrelid = part.indexrelid
    WHERE part.indrelid = child.oid AND attached.inhparent = 'agent_logs_agent_id_position_idx'::regclass)`;

/** The lines of an agent are read by their numbers. Each partition gets its index while lines are written to it. */
export class IndexLogLines1790011400010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET lock_timeout = 0');
    await runner.query(
      `-- The parent alone has no rows.
       -- squawk-ignore require-concurrent-index-creation
       CREATE INDEX IF NOT EXISTS agent_logs_agent_id_position_idx ON ONLY agent_logs ${COLUMNS}`.replaceAll(
        /^ +/gm,
        '',
      ),
    );
    const partitions = (await runner.query(PARTITIONS_WITHOUT)) as { readonly name: string }[];
    for (const { name } of partitions) {
      const index = `${name}_agent_id_position_idx`;
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
      await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS "${index}" ON "${name}" ${COLUMNS}`);
      await runner.query(`ALTER INDEX agent_logs_agent_id_position_idx ATTACH PARTITION "${index}"`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX agent_logs_agent_id_position_idx');
  }
}
