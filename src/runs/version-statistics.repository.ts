import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { ID_RANGE_OF_TIMES, idRangeOf, type TimeRange, UNSUCCESSFUL } from './run-statistics.repository.js';

/** Number of config versions that are summed up when none is named: the newest ones. */
export const NEWEST_VERSIONS = 20;

/** The outcomes of an agent's runs with one config version. */
export interface VersionStatisticsRow {
  readonly configVersion: number;
  readonly runs: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Seconds that half and 95 % of the ended runs took at most; null: none has ended. */
  readonly running: readonly [number, number] | null;
  readonly costMicros: number;
  readonly uncostedCalls: number;
}

/** By hand: percentiles, and sums of a table that belongs to a feature above. */
const READ = `WITH run AS (
    SELECT id, config_version, status, started_at, ended_at FROM runs
    WHERE agent_id = $1 AND ${ID_RANGE_OF_TIMES} AND config_version IS NOT NULL
      AND ($6::int[] IS NULL OR config_version = ANY ($6))
  ), version AS (
    SELECT config_version, count(*)::int AS runs,
      (count(*) FILTER (WHERE status = 'succeeded'))::int AS succeeded,
      (count(*) FILTER (WHERE status IN (${UNSUCCESSFUL})))::int AS failed,
      percentile_cont('{0.5,0.95}'::float8[]) WITHIN GROUP
        (ORDER BY greatest(0, extract(epoch FROM ended_at - started_at)::float8))
        FILTER (WHERE ended_at IS NOT NULL AND started_at IS NOT NULL) AS running
    FROM run GROUP BY config_version ORDER BY config_version DESC LIMIT ${NEWEST_VERSIONS}
  ), spent AS (
    SELECT config_version, sum(cost_micros)::float8 AS cost_micros, sum(uncosted_calls)::float8 AS uncosted_calls
    FROM run JOIN run_usage ON run_id = id GROUP BY config_version
  )
  SELECT config_version AS "configVersion", runs, succeeded, failed, running,
    coalesce(cost_micros, 0) AS "costMicros", coalesce(uncosted_calls, 0) AS "uncostedCalls"
  FROM version LEFT JOIN spent USING (config_version) ORDER BY config_version DESC`;

/** Sums up the runs of an agent by the config version that they were carried out with. */
@Injectable()
export class VersionStatisticsRepository {
  /**
   * @param versions undefined: the newest ones with runs
   * @returns the versions that have runs, the newest first
   */
  read(
    connection: Connection,
    agentId: string,
    range: TimeRange,
    versions: readonly number[] | undefined,
  ): Promise<VersionStatisticsRow[]> {
    return rowsOf<VersionStatisticsRow>(connection, READ, [agentId, ...idRangeOf(range), versions ?? null]);
  }
}
