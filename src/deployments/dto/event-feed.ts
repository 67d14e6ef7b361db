import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { Page } from '../../database/page.js';
import { WholeNumberBetween } from '../../http/number-between.js';
import type { LiveFeed, Subscribe } from '../../live/live-source.js';
import type { DeploymentEventEntity } from '../deployment-event.entity.js';
import { DeploymentEventResponse, toEventResponse } from '../deployment-event.response.js';

export class ListFeedQuery {
  @ApiProperty({
    required: false,
    default: 0,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    type: 'integer',
    description:
      'Only events with a higher `user_sequence`: that of the last event that was read. 0: from the first. Higher ' +
      'than that of the latest event: a 422.',
  })
  @IsOptional()
  @WholeNumberBetween({ min: 0, max: Number.MAX_SAFE_INTEGER })
  after: number = 0;

  @ApiProperty({
    required: false,
    default: 100,
    minimum: 1,
    maximum: 500,
    type: 'integer',
    description: 'How many items to return at most.',
  })
  @IsOptional()
  @WholeNumberBetween({ min: 1, max: 500 })
  limit: number = 100;
}

export class FeedEventResponse extends DeploymentEventResponse {
  @ApiProperty({ format: 'uuid' })
  agent_id: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description:
      "Counts from 1 in all the caller's events, in the order in which they were committed, without gaps: a number that " +
      'is missing was missed.',
    example: 4711,
  })
  user_sequence: number;
}

function toFeedEvent(event: DeploymentEventEntity): FeedEventResponse {
  return { ...toEventResponse(event), agent_id: event.agentId, user_sequence: event.userSequence };
}

/** What follows is asked for by the highest sequence in hand, not by how many were read. */
export function toFeedPage(events: Page<DeploymentEventEntity>): Page<FeedEventResponse> {
  return events.map(toFeedEvent).continuedBy('after', (event) => String(event.user_sequence));
}

export function toUserFeed(subscribe: Subscribe<DeploymentEventEntity>): LiveFeed<DeploymentEventEntity> {
  return { subscribe, toData: toFeedEvent };
}

export function toDeploymentFeed(
  subscribe: Subscribe<DeploymentEventEntity>,
): LiveFeed<DeploymentEventEntity> {
  return { subscribe, toData: toEventResponse };
}
