import { stripVTControlCharacters } from 'node:util';
import { IntersectionType, PickType } from '@nestjs/swagger';
import type { LiveFeed, OpenFeed } from '../../live/live-stream.js';
import { ResumeQuery } from '../../live/live-stream-route.js';
import { levelsFrom } from '../log-level.js';
import type { StoredLog } from '../telemetry.types.js';
import { ListLogsQuery, MAXIMUM_AGENTS } from './list-telemetry.query.js';
import { toLogRecord } from './log-record.response.js';
import { IdsParameter } from '../../http/list-fields.js';
import { IdField } from '../../http/request-fields.js';

class FollowQuery extends IntersectionType(
  ResumeQuery,
  PickType(ListLogsQuery, ['level', 'min_level', 'replica', 'q'] as const),
) {}

export class FollowLogsQuery extends FollowQuery {
  @IdField({ optional: true, description: 'Only logs of this deployment.' })
  deployment_id?: string;
}

export class FollowOwnLogsQuery extends FollowQuery {
  @IdsParameter(MAXIMUM_AGENTS)
  agent_id: string[];
}

export function toLogFeed(feed: OpenFeed<StoredLog>, query: FollowLogsQuery): LiveFeed<StoredLog> {
  const text = query.q?.toLowerCase();
  const levels = query.min_level && levelsFrom(query.min_level);
  const deploymentId = query.deployment_id?.toLowerCase();
  return {
    ...feed,
    accepts: (log) =>
      (query.level === undefined || log.level === query.level) &&
      (levels === undefined || levels.includes(log.level)) &&
      (query.replica === undefined || log.metadata?.replica === query.replica) &&
      (deploymentId === undefined || log.deploymentId === deploymentId) &&
      (text === undefined || stripVTControlCharacters(log.message).toLowerCase().includes(text)),
    toData: toLogRecord,
  };
}
