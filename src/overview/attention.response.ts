import { ApiProperty } from '@nestjs/swagger';
import type { SilentAgent } from '../agents/agent.types.js';
import type { WaitingCommand } from '../commands/waiting-command.types.js';
import type { FailingAgent } from '../deployments/deployment-summary.types.js';
import { COMMAND_ACTIONS, type CommandAction } from '../lifecycle/deployment-lifecycle.js';
import {
  type ExceededQuota,
  QUOTA_KINDS,
  QUOTA_SCOPES,
  type QuotaKind,
  type QuotaScope,
} from '../quotas/quota.types.js';
import type { RunsOfAgent } from '../runs/run.types.js';
import { UsageResponse } from '../runs/usage.response.js';
import type { FailingWebhook } from '../webhooks/webhook.types.js';

export class SilentAgentResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({ type: String, format: 'date-time' })
  last_seen_at: string;
}

export class FailingAgentResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The deployment that determines its health.',
  })
  deployment_id: string | null;

  @ApiProperty({
    description: 'One line: the last error (of a stack trace, the exception), or the reason for its health.',
    example: 'ValueError: the invoice has no total',
  })
  error: string;

  @ApiProperty({
    type: 'integer',
    description: 'Failures of its deployments in the last 24 hours.',
    example: 6,
  })
  failures: number;

  @ApiProperty({ type: 'integer', description: 'Restarts of that deployment.', example: 12 })
  restarts: number;

  @ApiProperty({ type: 'integer', description: 'Its failed runs in the last 24 hours.', example: 3 })
  failed_runs: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The latest failure in the last 24 hours.',
  })
  failed_at: string | null;
}

export class RecoveredResponse {
  @ApiProperty({ type: 'integer', description: 'Agents that failed, but are not failing now.', example: 41 })
  agents: number;

  @ApiProperty({ type: 'integer', description: 'Failures of their deployments.', example: 1355 })
  failures: number;

  @ApiProperty({
    type: 'integer',
    description: 'Agents with a failed run and a later successful one.',
    example: 2,
  })
  agents_with_failed_runs: number;

  @ApiProperty({ type: 'integer', description: 'Their failed runs.', example: 5 })
  failed_runs: number;
}

export class WaitingCommandResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  command_id: string;

  @ApiProperty({ enum: COMMAND_ACTIONS, enumName: 'CommandAction' })
  action: CommandAction;

  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;
}

export class AgentRunsResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({ type: 'integer', description: 'Number of its runs.', example: 3 })
  runs: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'For failed runs: the latest end. For waiting runs: since when the oldest has been due.',
  })
  at: string;
}

export class AgentFailedRunsResponse extends AgentRunsResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'One line: the error of the newest of them; null: unknown.',
    example: 'ValueError: the invoice has no total',
  })
  error: string | null;
}

export class AgentApprovalsResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({ type: 'integer', description: 'Number of its pending approvals.', example: 3 })
  approvals: number;

  @ApiProperty({ type: String, format: 'date-time', description: 'Since when the oldest has waited.' })
  at: string;
}

export class ExceededQuotaResponse {
  @ApiProperty({ enum: QUOTA_SCOPES, enumName: 'QuotaScope' })
  scope: QuotaScope;

  @ApiProperty({ enum: QUOTA_KINDS, enumName: 'QuotaKind' })
  kind: QuotaKind;

  @ApiProperty({ type: String, format: 'uuid' })
  project_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: "Null: the quota is the project's, for all its agents.",
  })
  agent_id: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'invoice-reader' })
  agent_name: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  refused_since: string;
}

export class FailingWebhookResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  webhook_id: string;

  @ApiProperty({ format: 'uri', example: 'https://example.com/hooks/agents' })
  url: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'Every attempt since then has failed.' })
  failing_since: string;

  @ApiProperty({ type: String, nullable: true, description: 'Error message of the last failed attempt.' })
  error_message: string | null;
}

export class SpendingResponse {
  @ApiProperty({ type: UsageResponse, description: 'Since midnight, in UTC.' })
  today: UsageResponse;

  @ApiProperty({
    type: UsageResponse,
    description: 'Since the first midnight (UTC) of the month, including today.',
  })
  this_month: UsageResponse;
}

export function toSilentAgentResponse(agent: SilentAgent): SilentAgentResponse {
  return { agent_id: agent.agentId, agent_name: agent.name, last_seen_at: agent.lastSeenAt };
}

export function toFailingAgentResponse(agent: FailingAgent, failedRuns: number): FailingAgentResponse {
  return {
    agent_id: agent.agentId,
    agent_name: agent.agentName,
    deployment_id: agent.deploymentId,
    error: agent.error,
    failures: agent.failures,
    restarts: agent.restarts,
    failed_runs: failedRuns,
    failed_at: agent.failedAt,
  };
}

export function toWaitingCommandResponse(command: WaitingCommand): WaitingCommandResponse {
  return {
    command_id: command.id,
    action: command.action,
    deployment_id: command.deploymentId,
    agent_id: command.agentId,
    agent_name: command.agentName,
    created_at: command.createdAt,
  };
}

export function toAgentRunsResponse({ agentId, agentName, count, at }: RunsOfAgent): AgentRunsResponse {
  return { agent_id: agentId, agent_name: agentName, runs: count, at };
}

export function toExceededQuotaResponse(quota: ExceededQuota): ExceededQuotaResponse {
  return {
    scope: quota.scope,
    kind: quota.kind,
    project_id: quota.projectId,
    agent_id: quota.scope === 'agent' ? quota.subjectId : null,
    agent_name: quota.agentName,
    refused_since: quota.refusedSince,
  };
}

export function toFailingWebhookResponse(webhook: FailingWebhook): FailingWebhookResponse {
  return {
    webhook_id: webhook.id,
    url: webhook.url,
    failing_since: webhook.failingSince,
    error_message: webhook.errorMessage,
  };
}
