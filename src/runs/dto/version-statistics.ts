import { ApiProperty } from '@nestjs/swagger';
import { Moment } from '../../http/time-range.js';
import { WholeNumbersParameter } from '../../http/list-fields.js';
import type { TimeRange } from '../run-statistics.repository.js';
import { dollarsOf } from '../usage.response.js';
import { NEWEST_VERSIONS, type VersionStatisticsRow } from '../version-statistics.repository.js';
import { LONGEST_DAYS, RunTimes, timeRange, toTimes } from './run-statistics.js';

const MAXIMUM_VERSION = 2_147_483_647;
const USUAL_DAYS = 30;

export class VersionStatisticsQuery {
  @Moment('Only runs created at or after this time. Default: 30 days before `until`.')
  since?: Date;

  @Moment('Only runs created before this time. Default: now.')
  until?: Date;

  @WholeNumbersParameter({
    min: 1,
    max: MAXIMUM_VERSION,
    count: NEWEST_VERSIONS,
    description: `Only these versions; repeat it for several. Default: the newest ${NEWEST_VERSIONS} with runs.`,
    example: [3, 4],
  })
  config_version?: number[];
}

export class VersionFigures {
  @ApiProperty({ type: 'integer', minimum: 1, example: 3 })
  config_version: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Runs taken by a deployment with this version; of several attempts, the last one counts.',
    example: 120,
  })
  runs: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 114 })
  succeeded: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Runs that failed, timed out or were abandoned.',
    example: 6,
  })
  failed: number;

  @ApiProperty({
    type: 'number',
    format: 'double',
    minimum: 0,
    maximum: 1,
    nullable: true,
    description: '`succeeded` divided by `succeeded` + `failed`. Null: both are 0.',
    example: 0.95,
  })
  success_rate: number | null;

  @ApiProperty({
    type: RunTimes,
    nullable: true,
    description:
      'Seconds from the start of the last attempt to its end, for runs that have ended. Null: there are none.',
  })
  running_seconds: RunTimes | null;

  @ApiProperty({
    description: 'In dollars, for all `runs`, without the calls in `uncosted_calls`.',
    pattern: '^[0-9]+\\.[0-9]{6}$',
    example: '1.488000',
  })
  cost_usd: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: '`cost_usd` divided by `runs`. Null: there are none.',
    pattern: '^[0-9]+\\.[0-9]{6}$',
    example: '0.012400',
  })
  cost_usd_per_run: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'Model calls whose cost is unknown, because neither the agent nor a price states it.',
    example: 0,
  })
  uncosted_calls: number;
}

export class VersionStatistics {
  @ApiProperty({ format: 'date-time' })
  since: string;

  @ApiProperty({ format: 'date-time' })
  until: string;

  @ApiProperty({
    type: [VersionFigures],
    maxItems: NEWEST_VERSIONS,
    description: 'The newest version first. Requested versions without runs are included.',
  })
  versions: VersionFigures[];
}

/** @throws InvalidError if the range is empty or too long */
export function versionsRange(query: VersionStatisticsQuery, now: Date): TimeRange {
  return timeRange(query, now, { usual: USUAL_DAYS, longest: LONGEST_DAYS });
}

/** @param named the versions that were asked for; undefined: none was named */
export function toVersionStatistics(
  { since, until }: TimeRange,
  rows: readonly VersionStatisticsRow[],
  named: readonly number[] | undefined,
): VersionStatistics {
  const found = new Map(rows.map((row) => [row.configVersion, row]));
  const versions = named ? [...named].sort((one, other) => other - one) : [...found.keys()];
  return {
    since: since.toISOString(),
    until: until.toISOString(),
    versions: versions.map((version) => toFigures(found.get(version) ?? without(version))),
  };
}

function without(configVersion: number): VersionStatisticsRow {
  return { configVersion, runs: 0, succeeded: 0, failed: 0, running: null, costMicros: 0, uncostedCalls: 0 };
}

function toFigures(row: VersionStatisticsRow): VersionFigures {
  const { runs, succeeded, failed, costMicros } = row;
  return {
    config_version: row.configVersion,
    runs,
    succeeded,
    failed,
    success_rate: succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
    running_seconds: toTimes(row.running),
    cost_usd: dollarsOf(costMicros),
    cost_usd_per_run: runs === 0 ? null : dollarsOf(Math.round(costMicros / runs)),
    uncosted_calls: row.uncostedCalls,
  };
}
