import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ActorEmailProperty, ActorNameProperty } from '../http/actor-name-properties.js';
import { type ActorNames, shownNames } from '../http/actor-names.js';
import { ANY_JSON } from '../http/openapi/property-schemas.js';
import { STATUS_SOURCES, type StatusSource } from '../lifecycle/deployment-lifecycle.js';
import { RUN_STATUSES, type RunStatus } from '../lifecycle/run-lifecycle.js';
import { bucketsOf, toUsageResponse, UsageResponse } from './usage.response.js';
import type { RunEntity } from './run.entity.js';
import { MAXIMUM_REASON, RUN_SOURCES, type RunProgress, type RunSource } from './run.types.js';

const EXAMPLE_ID = '0192f0c3-6a10-7b55-a0aa-4c2f1d1be111';

export class RunProgressResponse {
  @ApiProperty({ required: false, minimum: 0, maximum: 100, example: 40 })
  percent?: number;

  @ApiProperty({ required: false, maxLength: MAXIMUM_REASON, example: 'reading page 4 of 10' })
  message?: string;
}

export class RunResponse {
  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'Same as `id`.', example: EXAMPLE_ID })
  run_id: string;

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
    format: 'uuid',
    nullable: true,
    description: 'The deployment that took it; null before that.',
    example: '0192f0c2-52fb-7a10-b1d6-5f1c1c7be0aa',
  })
  deployment_id: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The config version of that deployment.',
    example: 2,
  })
  config_version: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'daily report' })
  name: string | null;

  @ApiProperty({
    enum: RUN_STATUSES,
    enumName: 'RunStatus',
    description:
      '`timed_out` and `abandoned` are presumed by the service; an actual end that is reported later replaces them.',
  })
  status: RunStatus;

  @ApiProperty({
    enum: STATUS_SOURCES,
    enumName: 'StatusSource',
    description: 'Who changed the status last.',
  })
  status_source: StatusSource;

  @ApiProperty({
    ...ANY_JSON,
    nullable: true,
    description: 'Any JSON value.',
    example: { question: 'How many are open?' },
  })
  input: unknown;

  @ApiProperty({ ...ANY_JSON, nullable: true, description: 'Any JSON value.', example: { answer: 42 } })
  output: unknown;

  @ApiProperty({ type: String, nullable: true, example: 'exit code 1' })
  error: string | null;

  @ApiProperty({ type: RunProgressResponse, nullable: true })
  progress: RunProgressResponse | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { team: 'billing' } })
  labels: Record<string, string>;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What the run continues, as named by its creator.',
  })
  conversation_id: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  parent_run_id: string | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The run of which this is a retry.',
  })
  retry_of: string | null;

  @ApiProperty({
    enum: RUN_SOURCES,
    enumName: 'RunSource',
    description:
      'Origin of the run. `agent`: started by the agent itself. `trace`: known only from its spans.',
  })
  source: RunSource;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The schedule that created it; it may have been deleted since.',
  })
  schedule_id: string | null;

  @ApiProperty({
    description: 'Who created it: `user:<id>`, `key:<id>` (an API key), `agent:<id>` or `schedule:<id>`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  actor: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of attempts given to a runtime, including those returned without a start.',
    example: 1,
  })
  attempt: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 9,
    description: 'The highest priority starts first.',
    example: 5,
  })
  priority: number;

  @ApiProperty({ type: 'integer', nullable: true, example: 3600 })
  timeout_seconds: number | null;

  @ApiProperty({
    description: 'W3C trace id; the agent receives it with the run.',
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
  })
  trace_id: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  cancel_requested_at: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Why the agent waits, as it reported. `GET /runs` and `GET /runs/{run_id}` also say why a queued run waits.',
    example: 'approval of the transfer',
  })
  waiting_reason: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  queued_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The start of the last attempt.',
  })
  started_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  ended_at: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: "The agent's last call that listed the run.",
  })
  last_seen_at: string | null;

  @ApiProperty({ type: UsageResponse, nullable: true, description: 'Null: nothing was reported yet.' })
  usage: UsageResponse | null;
}

/** A run with the names of its actor, which people read. */
export class NamedRunResponse extends RunResponse {
  @ActorNameProperty()
  actor_name: string | null;

  @ActorEmailProperty()
  actor_email: string | null;
}

/** A run in webhook messages: its input and its output are for nobody else. */
export class RunSummaryResponse extends OmitType(RunResponse, ['input', 'output'] as const) {}

export function toRunResponse(run: RunEntity): RunResponse {
  return { ...toRunSummary(run), input: run.input, output: run.output };
}

export function toNamedRunResponse(run: RunEntity & ActorNames): NamedRunResponse {
  return { ...toRunResponse(run), ...shownNames(run) };
}

export function toRunSummary(run: RunEntity): RunSummaryResponse {
  return {
    id: run.id,
    run_id: run.id,
    agent_id: run.agentId,
    agent_name: run.agentName,
    project_id: run.projectId,
    deployment_id: run.deploymentId,
    config_version: run.configVersion,
    name: run.name,
    status: run.status,
    status_source: run.statusSource,
    error: run.error,
    progress: toProgress(run.progress),
    labels: run.labels,
    conversation_id: run.conversationId,
    parent_run_id: run.parentRunId,
    retry_of: run.retryOf,
    source: run.source,
    schedule_id: run.scheduleId,
    actor: run.actor,
    attempt: run.attempt,
    priority: run.priority,
    timeout_seconds: run.timeoutSeconds,
    trace_id: run.traceId,
    cancel_requested_at: run.cancelRequestedAt,
    waiting_reason: run.waitingReason,
    queued_at: run.queuedAt,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    last_seen_at: run.lastSeenAt,
    usage: run.usage && toUsageResponse(bucketsOf(run.usage)),
  };
}

function toProgress(progress: RunProgress | null): RunProgressResponse | null {
  return progress && { percent: progress.percent, message: progress.message };
}
