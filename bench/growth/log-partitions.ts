import type { BenchDatabase } from '../fleet/bench-database.js';

/** Days in the past that have a partition of their own, besides today. */
export const PAST_DAYS = 14;

/** Makes the daily partitions of the log that a service would have made by now. */
export async function createLogPartitions(database: BenchDatabase): Promise<void> {
  await database.query(`
    DO $$ BEGIN
      FOR day IN 0..${PAST_DAYS} LOOP
        EXECUTE format('CREATE TABLE agent_logs_p%s PARTITION OF agent_logs FOR VALUES FROM (%L) TO (%L)',
          to_char(current_date - day, 'YYYYMMDD'), (current_date - day)::timestamptz,
          (current_date - day + 1)::timestamptz);
      END LOOP;
    END $$`);
}
