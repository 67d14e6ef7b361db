import { ApiProperty } from '@nestjs/swagger';
import type { BrokenRule } from '../../errors/domain-error.js';
import { FieldError, fieldErrorsOf } from '../../http/error-body.js';
import { ANY_JSON } from '../../http/openapi/property-schemas.js';
import { RUN_STATUSES, type RunStatus } from '../../lifecycle/run-lifecycle.js';
import type { Claimed } from '../run-taking.service.js';
import type { ReportReply } from '../reported-runs.service.js';
import { traceparentOf } from '../run-trace.js';
import type { RunEntity } from '../run.entity.js';

export class ClaimedRunResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  run_id: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the attempt, from 1.' })
  attempt: number;

  @ApiProperty({
    ...ANY_JSON,
    nullable: true,
    description: 'Any JSON value.',
    example: { question: 'How many invoices are open?' },
  })
  input: unknown;

  @ApiProperty({ type: String, nullable: true, example: 'daily report' })
  name: string | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { team: 'billing' } })
  labels: Record<string, string>;

  @ApiProperty({ type: String, nullable: true })
  conversation_id: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Time limit of this attempt. Null: none.',
  })
  timeout_seconds: number | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  deployment_id: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  config_version: number | null;

  @ApiProperty({
    description: 'W3C trace context for the spans of the run.',
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  })
  traceparent: string;

  @ApiProperty({
    type: 'integer',
    description:
      'Without a call of the agent within this time, the agent counts as lost, and the run as abandoned. Each ' +
      'heartbeat that lists the run renews the lease.',
    example: 120,
  })
  lease_seconds: number;
}

export class ClaimedRunsResponse {
  @ApiProperty({ type: [ClaimedRunResponse], description: 'Highest priority first, then oldest.' })
  runs: ClaimedRunResponse[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    description:
      "Ids of the agent's runs that it has to end early: they were cancelled or exceeded their time limit.",
    example: [],
  })
  cancel_runs: readonly string[];
}

export class ReportedRunResponse {
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  run_id: string | null;

  @ApiProperty({ type: String, nullable: true })
  run_key: string | null;

  @ApiProperty({
    enum: RUN_STATUSES,
    enumName: 'RunStatus',
    nullable: true,
    description: 'The stored status. Null: the agent has no such run.',
  })
  status: RunStatus | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      "Number of the run's newest attempt: if the report is about an older one, that attempt is over.",
    example: 1,
  })
  attempt: number | null;

  @ApiProperty({ description: 'True: the runtime must end the run early.' })
  cancel_requested: boolean;
}

export class ReportedRunsResponse {
  @ApiProperty({
    type: [ReportedRunResponse],
    description: 'One for each accepted entry, in their order.',
  })
  runs: ReportedRunResponse[];

  @ApiProperty({
    required: false,
    type: [FieldError],
    description: 'Only if entries break rules: the broken rules. These entries were skipped.',
  })
  refused?: FieldError[];
}

/** @param leaseSeconds see `ClaimedRunResponse.lease_seconds` */
export function toClaimedRunsResponse(claimed: Claimed | null, leaseSeconds: number): ClaimedRunsResponse {
  return {
    runs: (claimed?.runs ?? []).map((run) => toClaimedRunResponse(run, leaseSeconds)),
    cancel_runs: claimed?.toCancel ?? [],
  };
}

function toClaimedRunResponse(run: RunEntity, leaseSeconds: number): ClaimedRunResponse {
  return {
    run_id: run.id,
    attempt: run.attempt,
    input: run.input,
    name: run.name,
    labels: run.labels,
    conversation_id: run.conversationId,
    timeout_seconds: run.timeoutSeconds,
    deployment_id: run.deploymentId,
    config_version: run.configVersion,
    traceparent: traceparentOf(run),
    lease_seconds: leaseSeconds,
  };
}

/** @param refused the rules that the entries broke which were passed over */
export function toReportedRunsResponse(
  replies: readonly ReportReply[],
  refused: readonly BrokenRule[],
): ReportedRunsResponse {
  return {
    runs: replies.map((reply) => ({
      run_id: reply.runId,
      run_key: reply.runKey,
      status: reply.status,
      attempt: reply.attempt,
      cancel_requested: reply.cancelRequested,
    })),
    ...(refused.length > 0 && { refused: fieldErrorsOf(refused) }),
  };
}
