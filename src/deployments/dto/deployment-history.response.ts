import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '../../database/page.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../../lifecycle/deployment-lifecycle.js';
import { ActorEmailProperty, ActorNameProperty } from '../../http/actor-name-properties.js';
import { shownNames } from '../../http/actor-names.js';
import { DeploymentEventResponse, toEventResponse } from '../deployment-event.response.js';
import type { History, NamedEvent } from '../deployment-reading.service.js';
import type { ListEventsQuery } from './deployment.requests.js';

/** A step with the names of its actor, which people read. */
export class NamedDeploymentEventResponse extends DeploymentEventResponse {
  @ActorNameProperty()
  actor_name: string | null;

  @ActorEmailProperty()
  actor_email: string | null;
}

export class DeploymentHistoryResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({
    enum: DEPLOYMENT_STATUSES,
    enumName: 'DeploymentStatus',
    description: 'The current status.',
  })
  deployment_status: DeploymentStatus;

  @ApiProperty({ type: [NamedDeploymentEventResponse], description: 'Highest sequence first.' })
  items: NamedDeploymentEventResponse[];

  @ApiProperty({ type: 'integer', description: 'Number of events that match the filters.', example: 0 })
  total: number;

  @ApiProperty({ type: 'integer', example: 0 })
  skip: number;

  @ApiProperty({ type: 'integer', example: 100 })
  limit: number;

  @ApiProperty({ type: String, nullable: true, description: 'The filter that was applied.' })
  event_type: string | null;

  @ApiProperty({
    enum: DEPLOYMENT_STATUSES,
    enumName: 'DeploymentStatus',
    nullable: true,
    description: 'The filter that was applied.',
  })
  status: DeploymentStatus | null;
}

export function toHistoryResponse(
  { deployment, events }: History,
  query: ListEventsQuery,
): Page<NamedDeploymentEventResponse> {
  return events.map(toNamedEventResponse).wrappedIn((items) => ({
    deployment_id: deployment.id,
    deployment_status: deployment.status,
    items,
    total: events.total!,
    skip: query.skip,
    limit: query.limit,
    event_type: query.event_type ?? null,
    status: query.status ?? null,
  }));
}

function toNamedEventResponse(event: NamedEvent): NamedDeploymentEventResponse {
  return { ...toEventResponse(event), ...shownNames(event) };
}
