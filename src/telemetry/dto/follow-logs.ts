import { ApiProperty, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsOptional, IsUUID } from 'class-validator';
import type { LiveFeed, Subscribe } from '../../live/live-source.js';
import type { StoredLog } from '../telemetry.types.js';
import { ListLogsQuery } from './list-telemetry.query.js';
import { toLogRecord } from './log-record.response.js';

export class FollowLogsQuery extends PickType(ListLogsQuery, ['level', 'q'] as const) {
  @ApiProperty({ required: false, format: 'uuid', description: 'Only what was logged for this deployment.' })
  @IsOptional()
  @Type(() => String)
  @IsUUID('loose')
  deployment_id?: string;
}

export function toLogFeed(subscribe: Subscribe<StoredLog>, query: FollowLogsQuery): LiveFeed<StoredLog> {
  const text = query.q?.toLowerCase();
  const deploymentId = query.deployment_id?.toLowerCase();
  return {
    subscribe,
    accepts: (log) =>
      (query.level === undefined || log.level === query.level) &&
      (deploymentId === undefined || log.deploymentId === deploymentId) &&
      (text === undefined || log.message.toLowerCase().includes(text)),
    toData: toLogRecord,
  };
}
