import { ApiProperty } from '@nestjs/swagger';
import {
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
  EVENT_TYPES,
} from '../lifecycle/deployment-lifecycle.js';
import { HANDED_OVER } from './deployment-happening.js';
import type { ShownEvent } from './deployment-event.entity.js';

export class DeploymentEventResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  id: string;

  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'The project to which it belonged at that time.',
  })
  project_id: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Counts from 1 in each deployment, without gaps.',
  })
  sequence: number;

  @ApiProperty({
    description:
      `One of ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}; \`${HANDED_OVER}\`, if it was moved to this ` +
      'project; or the name in an inbound report.',
    example: 'running',
  })
  event_type: string;

  @ApiProperty({
    enum: DEPLOYMENT_STATUSES,
    enumName: 'DeploymentStatus',
    description: 'The status after this step.',
  })
  status: DeploymentStatus;

  @ApiProperty({
    enum: DEPLOYMENT_STATUSES,
    enumName: 'DeploymentStatus',
    nullable: true,
    description: 'Null for the first step.',
  })
  previous_status: DeploymentStatus | null;

  @ApiProperty({ type: 'integer', minimum: 0 })
  replicas: number;

  @ApiProperty({
    description: 'Who caused it: `user:<id>`, `key:<id>` (an API key), `agent:<id>` or `monitor`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  actor: string;

  @ApiProperty({ type: String, nullable: true })
  node_id: string | null;

  @ApiProperty({ type: String, nullable: true })
  error_message: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;
}

export function toEventResponse(event: ShownEvent): DeploymentEventResponse {
  return {
    id: event.id,
    deployment_id: event.deploymentId,
    project_id: event.projectId,
    sequence: event.sequence,
    event_type: event.eventType,
    status: event.status,
    previous_status: event.previousStatus,
    replicas: event.replicas,
    actor: event.actor,
    node_id: event.nodeId,
    error_message: event.errorMessage,
    created_at: event.createdAt,
  };
}
