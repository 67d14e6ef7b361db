import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { IsoTimestamp } from '../../http/iso-timestamp.js';
import { HistoryPageQuery } from '../../http/page-query.js';
import { LOG_LEVELS, type LogLevel, logLevelOf } from '../log-level.js';
import type { LogFilter, TimeFilter } from '../telemetry.types.js';

/** For the descriptions of the lists' operations. */
export const SEARCHES_ARE_BOUNDED =
  'No index serves `level` and `q`: entries are read one by one until enough match. What takes longer than ' +
  '`COSTLY_READ_TIMEOUT_SECONDS` is a 422; too many searches at once are a 503.';

const SEARCHED = 'Lists are slow by it: give `since` and `until`, too.';

const ApiMoment = (description: string) =>
  ApiProperty({
    required: false,
    type: String,
    format: 'date-time',
    description: `${description} ISO 8601; without a zone it is UTC.`,
    example: '2026-01-31T09:30:00.000Z',
  });

export class ListMetricsQuery extends HistoryPageQuery {
  @ApiMoment('Only what happened at this time or later.')
  @IsOptional()
  @IsoTimestamp()
  since?: Date;

  @ApiMoment('Only what happened before this time, itself excluded.')
  @IsOptional()
  @IsoTimestamp()
  until?: Date;
}

export class ListLogsQuery extends ListMetricsQuery {
  @ApiProperty({
    required: false,
    enum: LOG_LEVELS,
    description: `Only this level. Any case will do, and so will \`warn\` and \`fatal\`. ${SEARCHED}`,
  })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (logLevelOf(value) ?? value) : value,
  )
  @IsIn(LOG_LEVELS)
  level?: LogLevel;

  @ApiProperty({
    required: false,
    maxLength: 200,
    description: `Only messages that contain this text, in whatever case. ${SEARCHED}`,
    example: 'mailbox',
  })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  q?: string;
}

export function timeFilter({ since, until }: ListMetricsQuery): TimeFilter {
  return { since, until };
}

export function logFilter(query: ListLogsQuery): LogFilter {
  return { ...timeFilter(query), level: query.level, text: query.q };
}
