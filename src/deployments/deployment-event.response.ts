import { ApiProperty } from '@nestjs/swagger';
import { documentOf, type FieldsOf } from '../database/shown-fields.js';
import {
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
  EVENT_TYPES,
} from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEventEntity } from './deployment-event.entity.js';

export class DeploymentEventResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  id: string;

  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Counts from 1 in each deployment, without gaps.',
  })
  sequence: number;

  @ApiProperty({
    description: `One of ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}, or what an inbound report called it.`,
    example: 'running',
  })
  event_type: string;

  @ApiProperty({ enum: DEPLOYMENT_STATUSES, description: 'The status after this step.' })
  status: DeploymentStatus;

  @ApiProperty({
    enum: DEPLOYMENT_STATUSES,
    nullable: true,
    type: String,
    description: 'Null for the first step.',
  })
  previous_status: DeploymentStatus | null;

  @ApiProperty({ type: 'integer', minimum: 0 })
  replicas: number;

  @ApiProperty({
    description: 'Who caused it: `user:<id>`, `agent:<id>` or `monitor`.',
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

type ShownEvent = Omit<DeploymentEventEntity, 'userSequence'>;

export const EVENT_FIELDS = {
  id: 'id',
  deployment_id: 'deploymentId',
  sequence: 'sequence',
  event_type: 'eventType',
  status: 'status',
  previous_status: 'previousStatus',
  replicas: 'replicas',
  actor: 'actor',
  node_id: 'nodeId',
  error_message: 'errorMessage',
  created_at: 'createdAt',
} as const satisfies FieldsOf<DeploymentEventResponse, ShownEvent>;

export function toEventResponse(event: ShownEvent): DeploymentEventResponse {
  return documentOf<DeploymentEventResponse, ShownEvent>(EVENT_FIELDS, event);
}
