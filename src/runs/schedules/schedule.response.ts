import { ApiProperty } from '@nestjs/swagger';
import { ANY_JSON } from '../../http/openapi/property-schemas.js';
import { RUN_STATUSES, type RunStatus } from '../../lifecycle/run-lifecycle.js';
import { upcomingTimes } from './due-times.js';
import type { ScheduleEntity } from './schedule.entity.js';
import { CATCH_UPS, type CatchUp, type Overlap, OVERLAPS } from './schedule.types.js';

/** Number of due times that a schedule shows. Each takes 0.1 ms to compute, so lists show only the next one. */
const UPCOMING = 5;
const EXAMPLE_ID = '0192f0c4-0c3e-7d21-8a55-2b7d0e6f4a10';

export class LastRunResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c3-6a10-7b55-a0aa-4c2f1d1be111' })
  id: string;

  @ApiProperty({ enum: RUN_STATUSES, enumName: 'RunStatus' })
  status: RunStatus;

  @ApiProperty({ type: String, format: 'date-time' })
  queued_at: string;
}

export class ScheduleRetryResponse {
  @ApiProperty({ type: 'integer', minimum: 1, example: 3 })
  max_attempts: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 10 })
  first_delay_seconds: number;

  @ApiProperty({ description: 'True: also an abandoned run.' })
  abandoned: boolean;
}

export class ScheduleResponse {
  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'Same as `id`.', example: EXAMPLE_ID })
  schedule_id: string;

  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'The project that owns it.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  project_id: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of its runs.',
    example: 'daily report',
  })
  name: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null: it uses `every_seconds`.',
    example: '0 9 * * MON-FRI',
  })
  cron: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null: it uses `cron`.', example: null })
  every_seconds: number | null;

  @ApiProperty({ example: 'Europe/Berlin' })
  timezone: string;

  @ApiProperty({ ...ANY_JSON, nullable: true, description: 'Any JSON value.', example: { report: 'daily' } })
  input: unknown;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { team: 'billing' } })
  labels: Record<string, string>;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 9, example: 5 })
  priority: number;

  @ApiProperty({ type: 'integer', nullable: true, example: 3600 })
  timeout_seconds: number | null;

  @ApiProperty({ type: ScheduleRetryResponse })
  retry: ScheduleRetryResponse;

  @ApiProperty({ enum: OVERLAPS, enumName: 'ScheduleOverlap' })
  overlap: Overlap;

  @ApiProperty({ enum: CATCH_UPS, enumName: 'ScheduleCatchUp' })
  catch_up: CatchUp;

  @ApiProperty({ description: 'False: it is paused.' })
  is_active: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The next due time; null: it is paused.',
  })
  next_run_at: string | null;

  @ApiProperty({ type: LastRunResponse, nullable: true, description: 'Its newest run; null: there is none.' })
  last_run: LastRunResponse | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time' })
  updated_at: string;
}

export class ScheduleDetailResponse extends ScheduleResponse {
  @ApiProperty({
    type: [String],
    format: 'date-time',
    maxItems: UPCOMING,
    description: `The next ${UPCOMING} due times; none while it is paused.`,
    example: ['2026-01-30T08:00:00.000Z', '2026-02-02T08:00:00.000Z'],
  })
  next_runs: string[];
}

export function toScheduleDetailResponse(schedule: ScheduleEntity): ScheduleDetailResponse {
  return { ...toScheduleResponse(schedule), next_runs: upcomingTimes(schedule, UPCOMING) };
}

export function toScheduleResponse(schedule: ScheduleEntity): ScheduleResponse {
  return {
    id: schedule.id,
    schedule_id: schedule.id,
    agent_id: schedule.agentId,
    agent_name: schedule.agentName,
    project_id: schedule.projectId,
    name: schedule.name,
    cron: schedule.cron,
    every_seconds: schedule.everySeconds,
    timezone: schedule.timezone,
    input: schedule.input,
    labels: schedule.labels,
    priority: schedule.priority,
    timeout_seconds: schedule.timeoutSeconds,
    retry: {
      max_attempts: schedule.maxAttempts,
      first_delay_seconds: schedule.firstDelaySeconds,
      abandoned: schedule.retriesAbandoned,
    },
    overlap: schedule.overlap,
    catch_up: schedule.catchUp,
    is_active: schedule.isActive,
    next_run_at: schedule.nextRunAt,
    last_run: toLastRun(schedule),
    created_at: schedule.createdAt,
    updated_at: schedule.updatedAt,
  };
}

function toLastRun({ lastRunId, lastRunStatus, lastRunQueuedAt }: ScheduleEntity): LastRunResponse | null {
  return lastRunId === null ? null : { id: lastRunId, status: lastRunStatus!, queued_at: lastRunQueuedAt! };
}
