import type { BenchDatabase } from '../fleet/bench-database.js';
import { createLogPartitions, PAST_DAYS } from './log-partitions.js';

const AGENTS = 50;

/** An agent and its deployment. */
export interface Subject {
  readonly agentId: string;
  readonly deploymentId: string;
}

/** Fills the log with so many rows of fifty agents, evenly over the last 14 days, in daily partitions. */
export async function fillLogs(database: BenchDatabase, rows: number): Promise<Subject> {
  await createLogPartitions(database);
  await database.query(`
    CREATE TABLE source AS
    SELECT number, gen_random_uuid() AS agent_id, gen_random_uuid() AS deployment_id
    FROM generate_series(0, ${AGENTS - 1}) AS number`);
  await database.query(`
    INSERT INTO agent_logs (agent_id, "timestamp", id, deployment_id, level, message)
    SELECT agent_id, now() - make_interval(secs => line / ${rows}.0 * ${(PAST_DAYS - 1) * 86_400}), gen_random_uuid(),
      deployment_id, 'info', 'line ' || line || ' of a log that says about as much as such lines do'
    FROM generate_series(0, ${rows - 1}) AS line JOIN source ON source.number = line % ${AGENTS}`);
  await database.query('INSERT INTO agent_log_positions SELECT agent_id, 0 FROM source');
  await database.query('VACUUM ANALYZE agent_logs, agent_log_positions');
  const [subject] = await database.query<{ agentId: string; deploymentId: string }>(
    'SELECT agent_id AS "agentId", deployment_id AS "deploymentId" FROM source WHERE number = 7',
  );
  if (!subject) throw new Error('The source table is empty');
  return subject;
}
