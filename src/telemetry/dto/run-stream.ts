import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField } from '../../http/request-fields.js';
import type { LiveFeed, OpenFeed } from '../../live/live-stream.js';
import { ResumeQuery } from '../../live/live-stream-route.js';
import { RunEventResponse } from '../../runs/run-event.response.js';
import { RunProgressResponse } from '../../runs/run.response.js';
import type { RunStreamRow } from '../run-stream-page.js';
import { LogRecord, toLogRecord } from './log-record.response.js';

/** The beginning of a stream without a position. */
const STARTS = ['beginning', 'now'] as const;
export type RunStreamStart = (typeof STARTS)[number];

export class FollowRunQuery extends ResumeQuery {
  @ChoiceField(STARTS, {
    enumName: 'RunStreamStart',
    optional: true,
    description:
      'Where the stream starts without `Last-Event-ID`: at the start of the run, or now. Default: `beginning`.',
  })
  from?: RunStreamStart;
}

const TYPES = ['event', 'log', 'progress'] as const satisfies RunStreamRow['type'][];

export class RunStreamItem {
  @ApiProperty({
    enum: TYPES,
    enumName: 'RunStreamItemType',
    description: 'Which of the other properties is present.',
  })
  type: RunStreamRow['type'];

  @ApiProperty({ required: false, type: RunEventResponse })
  event?: RunEventResponse;

  @ApiProperty({ required: false, type: LogRecord })
  log?: LogRecord;

  @ApiProperty({
    required: false,
    type: RunProgressResponse,
    description: 'The latest progress: states that were soon replaced are left out.',
  })
  progress?: RunProgressResponse;
}

export function toRunStream(feed: OpenFeed<RunStreamRow>): LiveFeed<RunStreamRow> {
  return { ...feed, toData };
}

function toData(row: RunStreamRow): RunStreamItem {
  return row.type === 'log' ? { type: row.type, log: toLogRecord(row.log) } : row;
}
