import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '../../database/page.js';
import { ResumeQuery } from '../../live/live-stream-route.js';
import type { LiveFeed, OpenFeed } from '../../live/live-stream.js';
import type { DeploymentEventEntity, NumberedEvent } from '../deployment-event.entity.js';
import { DeploymentEventResponse, toEventResponse } from '../deployment-event.response.js';
import { PageLimit } from '../../http/page-query.js';
import { IdField, WholeNumberParameter } from '../../http/request-fields.js';

export class StreamFeedQuery extends ResumeQuery {
  @IdField({ optional: true, description: "One of the caller's projects. Default: the personal one." })
  project_id?: string;
}

export class ListFeedQuery {
  @IdField({ optional: true, description: "One of the caller's projects. Default: the personal one." })
  project_id?: string;

  @WholeNumberParameter({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    optional: true,
    default: 0,
    description:
      'Only events with a higher `user_sequence`: send that of the last event that you have read. 0: from the ' +
      'first. Higher than that of the latest event: a 422.',
  })
  after: number = 0;

  @PageLimit(100, 500)
  limit: number = 100;
}

export class FeedEventResponse extends DeploymentEventResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    description:
      'Counts all events of the project from 1, without gaps, in order within each deployment: a missing number is ' +
      'a missed event.',
    example: 4711,
  })
  user_sequence: number;
}

function toFeedEvent(event: NumberedEvent): FeedEventResponse {
  return { ...toEventResponse(event), agent_id: event.agentId, user_sequence: event.projectSequence };
}

/** The position of the next page is the highest sequence of this one, not the number of events read. */
export function toFeedPage(events: Page<NumberedEvent>): Page<FeedEventResponse> {
  return events.map(toFeedEvent).continuedBy((event) => ({ after: String(event.user_sequence) }));
}

export function toProjectFeed(feed: OpenFeed<NumberedEvent>): LiveFeed<NumberedEvent> {
  return { ...feed, toData: toFeedEvent };
}

export function toDeploymentFeed(feed: OpenFeed<DeploymentEventEntity>): LiveFeed<DeploymentEventEntity> {
  return { ...feed, toData: toEventResponse };
}
