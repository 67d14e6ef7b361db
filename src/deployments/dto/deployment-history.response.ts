import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '../../database/page.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../../lifecycle/deployment-lifecycle.js';
import { DeploymentEventResponse, toEventResponse } from '../deployment-event.response.js';
import type { History } from '../deployment-reading.service.js';
import type { ListEventsQuery } from './deployment.requests.js';

export class DeploymentHistoryResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({ enum: DEPLOYMENT_STATUSES, enumName: 'DeploymentStatus', description: 'The status now.' })
  deployment_status: DeploymentStatus;

  @ApiProperty({ type: [DeploymentEventResponse], description: 'Highest sequence first.' })
  items: DeploymentEventResponse[];

  @ApiProperty({ type: 'integer', description: 'How many events the filters match.', example: 0 })
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
): Page<DeploymentEventResponse> {
  const shown = events.map(toEventResponse);
  return shown.wrappedIn({
    deployment_id: deployment.id,
    deployment_status: deployment.status,
    items: shown.items,
    total: events.total!,
    skip: query.skip,
    limit: query.limit,
    event_type: query.event_type ?? null,
    status: query.status ?? null,
  });
}
