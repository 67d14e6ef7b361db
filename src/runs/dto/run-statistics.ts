import { ApiProperty } from '@nestjs/swagger';
import { InvalidError } from '../../errors/domain-error.js';
import { ChoiceField } from '../../http/request-fields.js';
import { Moment } from '../../http/time-range.js';
import { RUN_STATUSES, type RunStatus } from '../../lifecycle/run-lifecycle.js';
import {
  RUN_BUCKETS,
  type RunBucket,
  type RunStatisticsRow,
  type RunStatisticsRange,
  type TimeRange,
} from '../run-statistics.repository.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The range without `since`, and the longest one; days. */
const DAYS_OF = { hour: { usual: 1, longest: 31 }, day: { usual: 30, longest: 366 } } as const;
/** The longest range of any statistics of runs; days. */
export const LONGEST_DAYS = DAYS_OF.day.longest;

export class RunStatisticsQuery {
  @Moment(
    'Only runs created at or after this time. Default: a day before `until`, or 30 days with buckets of a day.',
  )
  since?: Date;

  @Moment('Only runs created before this time. Default: now.')
  until?: Date;

  @ChoiceField(RUN_BUCKETS, {
    enumName: 'RunBucket',
    optional: true,
    default: 'hour',
    description:
      `Length of a bucket, in UTC. The range can be ${DAYS_OF.hour.longest} days with \`hour\` and ` +
      `${DAYS_OF.day.longest} with \`day\`.`,
  })
  bucket: RunBucket = 'hour';
}

export class RunTimes {
  @ApiProperty({
    type: 'number',
    format: 'double',
    minimum: 0,
    description: 'The median.',
    example: 1.2,
  })
  p50: number;

  @ApiProperty({
    type: 'number',
    format: 'double',
    minimum: 0,
    description: 'The 95th percentile.',
    example: 30.5,
  })
  p95: number;
}

const ApiTimes = (description: string) => ApiProperty({ type: RunTimes, nullable: true, description });

export class RunFigures {
  @ApiProperty({ type: 'integer', minimum: 0, example: 12 })
  count: number;

  @ApiProperty({
    type: 'object',
    description: 'Number of runs by current status.',
    properties: Object.fromEntries(
      RUN_STATUSES.map((status) => [status, { type: 'integer', minimum: 0, example: 0 }]),
    ),
    required: [...RUN_STATUSES],
    additionalProperties: false,
  })
  by_status: Record<RunStatus, number>;

  @ApiTimes(
    'Seconds from when the last attempt was due to its start, for requested runs that have started. Null: there ' +
      'are none.',
  )
  waiting_seconds: RunTimes | null;

  @ApiTimes(
    'Seconds from the start of the last attempt to its end, for runs that have ended. Null: there are none.',
  )
  running_seconds: RunTimes | null;
}

export class RunFiguresOfBucket extends RunFigures {
  @ApiProperty({ format: 'date-time', description: 'Its beginning.', example: '2026-01-31T09:00:00.000Z' })
  timestamp: string;
}

export class RunStatistics {
  @ApiProperty({ format: 'date-time' })
  since: string;

  @ApiProperty({ format: 'date-time' })
  until: string;

  @ApiProperty({ enum: RUN_BUCKETS, enumName: 'RunBucket' })
  bucket: RunBucket;

  @ApiProperty({ type: RunFigures, description: 'Totals of all buckets.' })
  total: RunFigures;

  @ApiProperty({
    type: [RunFiguresOfBucket],
    description: 'Oldest first. Buckets without runs are left out.',
  })
  buckets: RunFiguresOfBucket[];
}

/** @throws InvalidError if the range is empty or too long */
export function statisticsRange(query: RunStatisticsQuery, now: Date): RunStatisticsRange {
  const { bucket } = query;
  const limit = `with buckets of ${bucket === 'day' ? 'a day' : 'an hour'}`;
  return { ...timeRange(query, now, DAYS_OF[bucket], limit), bucket };
}

/**
 * @param days the length without `since`, and the longest one
 * @param limit for what the longest one holds, as the end of a message
 * @throws InvalidError if the range is empty or too long
 */
export function timeRange(
  { since, until }: Partial<TimeRange>,
  now: Date,
  { usual, longest }: { readonly usual: number; readonly longest: number },
  limit?: string,
): TimeRange {
  const end = until ?? now;
  const begin = since ?? new Date(end.getTime() - usual * DAY_MS);
  const range = end.getTime() - begin.getTime();
  if (range <= 0) throw InvalidError.of('since', 'out_of_range', 'since must be before until');
  if (range > longest * DAY_MS) {
    const message = [`since must be at most ${longest} days before until`, limit].filter(Boolean).join(' ');
    throw InvalidError.of('since', 'out_of_range', message);
  }
  return { since: begin, until: end };
}

/** @param rows the buckets in their order, and the total, whose bucket is null */
export function toRunStatistics(
  { since, until, bucket }: RunStatisticsRange,
  rows: readonly RunStatisticsRow[],
): RunStatistics {
  const total = rows.find((row) => row.bucket === null)!;
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    bucket,
    total: toFigures(total),
    buckets: rows.flatMap((row) => (row.bucket === null ? [] : { timestamp: row.bucket, ...toFigures(row) })),
  };
}

function toFigures({ counts, waiting, running }: RunStatisticsRow): RunFigures {
  const by_status = Object.fromEntries(
    RUN_STATUSES.map((status, index) => [status, counts[index]!]),
  ) as RunFigures['by_status'];
  return {
    count: counts.reduce((sum, count) => sum + count, 0),
    by_status,
    waiting_seconds: toTimes(waiting),
    running_seconds: toTimes(running),
  };
}

export function toTimes(percentiles: RunStatisticsRow['waiting']): RunTimes | null {
  return percentiles && { p50: percentiles[0], p95: percentiles[1] };
}
