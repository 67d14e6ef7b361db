import { ApiProperty } from '@nestjs/swagger';
import {
  RUN_EVENT_TYPES,
  RUN_STATUSES,
  type RunEventType,
  type RunStatus,
} from '../lifecycle/run-lifecycle.js';
import { ActorEmailProperty, ActorNameProperty } from '../http/actor-name-properties.js';
import { type ActorNames, shownNames } from '../http/actor-names.js';
import type { RunEventEntity } from './run-event.entity.js';

export class RunEventResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  id: string;

  @ApiProperty({ type: String, format: 'uuid' })
  run_id: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Counts from 1 in each run, without gaps.' })
  sequence: number;

  @ApiProperty({ enum: RUN_EVENT_TYPES, enumName: 'RunEventType' })
  event_type: RunEventType;

  @ApiProperty({ enum: RUN_STATUSES, enumName: 'RunStatus', description: 'The status after this step.' })
  status: RunStatus;

  @ApiProperty({
    enum: RUN_STATUSES,
    enumName: 'RunStatus',
    nullable: true,
    description: 'Null for the first step.',
  })
  previous_status: RunStatus | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'The attempt of the step; 0 before the first attempt.',
  })
  attempt: number;

  @ApiProperty({
    description: 'Who caused it: `user:<id>`, `key:<id>` (an API key), `agent:<id>` or `monitor`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  actor: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The error, the reason of the cancellation, or why the agent waits.',
  })
  message: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;
}

export function toRunEventResponse(event: RunEventEntity): RunEventResponse {
  return {
    id: event.id,
    run_id: event.runId,
    sequence: event.sequence,
    event_type: event.eventType,
    status: event.status,
    previous_status: event.previousStatus,
    attempt: event.attempt,
    actor: event.actor,
    message: event.message,
    created_at: event.createdAt,
  };
}

/** A step with the names of its actor, which people read. */
export class NamedRunEventResponse extends RunEventResponse {
  @ActorNameProperty()
  actor_name: string | null;

  @ActorEmailProperty()
  actor_email: string | null;
}

export function toNamedRunEventResponse(event: RunEventEntity & ActorNames): NamedRunEventResponse {
  return { ...toRunEventResponse(event), ...shownNames(event) };
}
