import { ApiProperty } from '@nestjs/swagger';
import type { AgentConnection, HealthState } from '../lifecycle/agent-health.js';
import {
  COMMAND_ACTIONS,
  type CommandAction,
  type DeploymentStatus,
} from '../lifecycle/deployment-lifecycle.js';
import type { RunStatus } from '../lifecycle/run-lifecycle.js';
import { toUsageResponse, UsageResponse } from '../runs/usage.response.js';
import type { RunsOfAgent } from '../runs/run.types.js';
import type { Overview } from './overview.service.js';

const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

class SilentAgentResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({ type: String, format: 'date-time' })
  last_seen_at: string;
}

class DeploymentFailureResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null where the agent was removed since.' })
  agent_name: string | null;

  @ApiProperty({ example: 'failed' })
  event_type: string;

  @ApiProperty({ type: String, nullable: true })
  error_message: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;
}

class WaitingCommandResponse {
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

class AgentRunsResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({ type: 'integer', description: 'How many of its runs.', example: 3 })
  runs: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The newest end of failed runs; of runs that wait, since when the oldest has been due.',
  })
  at: string;
}

class AgentApprovalsResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({ type: 'integer', description: 'How many of its questions wait.', example: 3 })
  approvals: number;

  @ApiProperty({ type: String, format: 'date-time', description: 'Since when the oldest has waited.' })
  at: string;
}

class FailingWebhookResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  webhook_id: string;

  @ApiProperty({ format: 'uri', example: 'https://example.com/hooks/agents' })
  url: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'Every attempt has failed since then.' })
  failing_since: string;

  @ApiProperty({ type: String, nullable: true, description: 'Error message of the last failed attempt.' })
  error_message: string | null;
}

class SpendingResponse {
  @ApiProperty({ type: UsageResponse, description: 'Since midnight, in UTC.' })
  today: UsageResponse;

  @ApiProperty({
    type: UsageResponse,
    description: "Since the month's first midnight, in UTC; today is in it.",
  })
  this_month: UsageResponse;
}

export class OverviewResponse {
  @ApiProperty({ ...COUNTS, example: { failing: 2, healthy: 40 } })
  agents_by_health: Readonly<Record<HealthState, number>>;

  @ApiProperty({ ...COUNTS, example: { online: 41, offline: 1 } })
  agents_by_connection: Readonly<Record<AgentConnection, number>>;

  @ApiProperty({
    type: [SilentAgentResponse],
    description: 'The ten offline agents with the latest calls.',
  })
  silent_agents: SilentAgentResponse[];

  @ApiProperty({ ...COUNTS, example: { ready: 40, failed: 2 } })
  deployments_by_status: Readonly<Record<DeploymentStatus, number>>;

  @ApiProperty({ type: 'integer', description: 'Failures of deployments in the last 24 hours.', example: 2 })
  failures: number;

  @ApiProperty({ type: [DeploymentFailureResponse], description: 'The newest ten.' })
  newest_failures: DeploymentFailureResponse[];

  @ApiProperty({
    type: 'integer',
    description: 'Commands without an answer for longer than a minute.',
    example: 1,
  })
  waiting_commands: number;

  @ApiProperty({ type: [WaitingCommandResponse], description: 'The oldest ten.' })
  oldest_waiting_commands: WaitingCommandResponse[];

  @ApiProperty({
    ...COUNTS,
    description: 'Runs that have not ended.',
    example: { queued: 2, running: 5, waiting: 0 },
  })
  runs_by_status: Readonly<Partial<Record<RunStatus, number>>>;

  @ApiProperty({
    type: 'integer',
    description: 'Of the runs of the last 24 hours those that failed, timed out or were abandoned.',
    example: 3,
  })
  failed_runs: number;

  @ApiProperty({ type: [AgentRunsResponse], description: 'The ten with the most.' })
  agents_with_failed_runs: AgentRunsResponse[];

  @ApiProperty({
    type: [AgentRunsResponse],
    description: 'Ten agents with runs that have been due for longer than ten minutes, the oldest first.',
  })
  agents_with_waiting_runs: AgentRunsResponse[];

  @ApiProperty({ type: 'integer', description: 'Approvals that nobody has decided.', example: 4 })
  pending_approvals: number;

  @ApiProperty({
    type: [AgentApprovalsResponse],
    description: 'Fifty agents whose questions wait, those first that have waited for longest.',
  })
  agents_with_pending_approvals: AgentApprovalsResponse[];

  @ApiProperty({ type: [FailingWebhookResponse] })
  failing_webhooks: FailingWebhookResponse[];

  @ApiProperty({
    type: SpendingResponse,
    description: 'What models and tools were used, as in `GET /usage`.',
  })
  spending: SpendingResponse;
}

export function toOverviewResponse({
  agents,
  deployments,
  approvals,
  commands,
  runs,
  webhooks,
  spending,
}: Overview): OverviewResponse {
  return {
    agents_by_health: agents.byHealth,
    agents_by_connection: agents.byConnection,
    silent_agents: agents.silent.map((agent) => ({
      agent_id: agent.agentId,
      agent_name: agent.name,
      last_seen_at: agent.lastSeenAt,
    })),
    deployments_by_status: deployments.byStatus,
    failures: deployments.failures.total,
    newest_failures: deployments.failures.newest.map((failure) => ({
      deployment_id: failure.deploymentId,
      agent_id: failure.agentId,
      agent_name: failure.agentName,
      event_type: failure.eventType,
      error_message: failure.errorMessage,
      created_at: failure.createdAt,
    })),
    waiting_commands: commands.total,
    oldest_waiting_commands: commands.oldest.map((command) => ({
      command_id: command.id,
      action: command.action,
      deployment_id: command.deploymentId,
      agent_id: command.agentId,
      agent_name: command.agentName,
      created_at: command.createdAt,
    })),
    runs_by_status: runs.byStatus,
    failed_runs: runs.failed,
    agents_with_failed_runs: runs.failing.map(toAgentRunsResponse),
    agents_with_waiting_runs: runs.waiting.map(toAgentRunsResponse),
    pending_approvals: approvals.pending,
    agents_with_pending_approvals: approvals.agents.map(({ agentId, agentName, count, at }) => ({
      agent_id: agentId,
      agent_name: agentName,
      approvals: count,
      at,
    })),
    failing_webhooks: webhooks.map((webhook) => ({
      webhook_id: webhook.id,
      url: webhook.url,
      failing_since: webhook.failingSince,
      error_message: webhook.errorMessage,
    })),
    spending: { today: toUsageResponse(spending.today), this_month: toUsageResponse(spending.thisMonth) },
  };
}

function toAgentRunsResponse({ agentId, agentName, count, at }: RunsOfAgent): AgentRunsResponse {
  return { agent_id: agentId, agent_name: agentName, runs: count, at };
}
