import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { DailyRunTimeEntity, HourlyRunTimeEntity } from './run-time.entity.js';
import { HELD } from './runs.repository.js';

/** The time for which a runtime had a run. */
export interface RunTime {
  readonly projectId: string;
  readonly agentId: string;
  readonly since: string;
  /** Null: now. */
  readonly until: string | null;
}

/** No budget looks back longer. An agent may say any time as the start of a run of its own. */
const LONGEST_COUNTED = '31 days';

/**
 * Counts up the time of runs, each hour's part of it in that hour. The keys are read in order, so that two transactions with the same
 * keys wait for each other without a deadlock. By hand: `unnest`, sums and upserts.
 */
const COUNT_UP = `WITH given AS (
    SELECT project_id, agent_id, greatest(since, now() - interval '${LONGEST_COUNTED}') AS since, coalesce(until, now()) AS until
    FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[]) AS given (project_id, agent_id, since, until)
  ), part AS (
    SELECT project_id, agent_id, hour,
      (extract(epoch FROM least(until, hour + interval '1 hour') - greatest(since, hour)) * 1000)::bigint AS run_ms
    FROM given CROSS JOIN LATERAL generate_series(date_trunc('hour', since, 'UTC'), until, interval '1 hour') AS hour
    WHERE until > since
  ), hourly AS (
    INSERT INTO run_time_hourly AS stored (project_id, hour, agent_id, run_ms)
    SELECT project_id, hour, agent_id, sum(run_ms) FROM part GROUP BY 1, 2, 3 HAVING sum(run_ms) > 0 ORDER BY 1, 2, 3
    ON CONFLICT (project_id, hour, agent_id) DO UPDATE SET run_ms = stored.run_ms + excluded.run_ms
  )
  INSERT INTO run_time_daily AS stored (project_id, day, agent_id, run_ms)
  SELECT project_id, (hour AT TIME ZONE 'UTC')::date, agent_id, sum(run_ms) FROM part
  GROUP BY 1, 2, 3 HAVING sum(run_ms) > 0 ORDER BY 1, 2, 3
  ON CONFLICT (project_id, day, agent_id) DO UPDATE SET run_ms = stored.run_ms + excluded.run_ms`;

/**
 * Notes that the time of an agent's runs that are under way is counted until now. By hand: it returns the former
 * values.
 */
const NOTE_UNTIL_NOW = `WITH held AS (
    SELECT id, project_id, agent_id, coalesce(counted_until, started_at) AS since FROM runs AS run
    WHERE agent_id = $1 AND status IN (${HELD}) AND started_at IS NOT NULL FOR NO KEY UPDATE
  ), noted AS (
    UPDATE runs SET counted_until = now(),
      counted_seconds = counted_seconds + greatest(extract(epoch FROM now() - held.since), 0)
    FROM held WHERE runs.id = held.id
  )
  SELECT project_id AS "projectId", agent_id AS "agentId", since, NULL AS until FROM held`;

/** Counts the time that runs take. */
@Injectable()
export class RunTimeRepository {
  async count(tx: Transaction, times: readonly RunTime[]): Promise<void> {
    if (times.length === 0) return;
    await rowsOf(tx, { name: 'count_run_time', text: COUNT_UP }, [
      times.map(({ projectId }) => projectId),
      times.map(({ agentId }) => agentId),
      times.map(({ since }) => since),
      times.map(({ until }) => until),
    ]);
  }

  /** Counts the time until now of an agent's runs that are under way. The transaction has locked the agent's row. */
  async countUntilNow(tx: Transaction, agentId: string): Promise<void> {
    await this.count(tx, await rowsOf<RunTime>(tx, NOTE_UNTIL_NOW, [agentId]));
  }

  /** @returns the number of deleted rows, at most `limit` */
  deleteHours(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, HourlyRunTimeEntity, { since: 'old.hour', days }, limit);
  }

  /** @returns the number of deleted rows, at most `limit` */
  deleteDays(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, DailyRunTimeEntity, { since: 'old.day', days }, limit);
  }
}
