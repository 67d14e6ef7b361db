import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-times.js';
import { RUN_STATUSES, RUN_TRANSITIONS } from '../lifecycle/run-lifecycle.js';

export const RUN_BUCKETS = ['hour', 'day'] as const;
export type RunBucket = (typeof RUN_BUCKETS)[number];

/** When runs were asked for. */
export interface TimeRange {
  /** Inclusive. */
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
}

export interface RunStatisticsRange extends TimeRange {
  readonly bucket: RunBucket;
}

export interface RunStatisticsRow {
  /** The bucket's beginning; null: all buckets together. */
  readonly bucket: string | null;
  /** The number of runs in each status, in the order of `RUN_STATUSES`. */
  readonly counts: readonly number[];
  /** Seconds that half and 95 % of the runs waited at most; null: none was begun. */
  readonly waiting: readonly [number, number] | null;
  /** The same of the time that ended runs took. */
  readonly running: readonly [number, number] | null;
}

/** An instance's clock, by which ids are made, differs from the database's by less; milliseconds. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** SQL condition for runs of a range, whose parameters from `$2` on are {@link idRangeOf} it. A range of ids is one of an index. */
export const ID_RANGE_OF_TIMES = 'queued_at >= $2 AND queued_at < $3 AND id >= $4 AND id < $5';

/** The range of ids is a little longer than that of the times. */
export function idRangeOf({ since, until }: TimeRange): [Date, Date, string, string] {
  const apart = (time: Date, milliseconds: number) => uuidFloor(new Date(time.getTime() + milliseconds));
  return [since, until, apart(since, -CLOCK_DIFFERENCE_MS), apart(until, CLOCK_DIFFERENCE_MS)];
}

/** Statuses of the runs that the service would try again. */
export const UNSUCCESSFUL = RUN_TRANSITIONS.retry.from.map((status) => `'${status}'`).join(', ');

const COUNTS = RUN_STATUSES.map((status) => `count(*) FILTER (WHERE status = '${status}')::int`).join(', ');
const percentiles = (seconds: string, of: string) =>
  `percentile_cont('{0.5,0.95}'::float8[]) WITHIN GROUP (ORDER BY greatest(0, extract(epoch FROM ${seconds})::float8))
    FILTER (WHERE ${of})`;

/** Sums up the runs of an agent. By hand: percentiles and grouping sets. */
@Injectable()
export class RunStatisticsRepository {
  /** @returns the buckets with runs, oldest first, and the total, whose bucket is null */
  read(connection: Connection, agentId: string, range: RunStatisticsRange): Promise<RunStatisticsRow[]> {
    return rowsOf<RunStatisticsRow>(
      connection,
      `SELECT bucket, ARRAY[${COUNTS}] AS counts,
         ${percentiles('started_at - available_at', "started_at IS NOT NULL AND source <> 'agent'")} AS waiting,
         ${percentiles('ended_at - started_at', 'ended_at IS NOT NULL AND started_at IS NOT NULL')} AS running
       FROM (
         SELECT *, date_trunc($6, queued_at, 'UTC') AS bucket FROM runs WHERE agent_id = $1 AND ${ID_RANGE_OF_TIMES}
       ) AS run
       GROUP BY GROUPING SETS ((bucket), ()) ORDER BY bucket NULLS LAST`,
      [agentId, ...idRangeOf(range), range.bucket],
    );
  }
}
