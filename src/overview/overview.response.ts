import { ApiProperty } from '@nestjs/swagger';
import { BudgetResponse } from '../budgets/budget.response.js';
import type { AgentConnection, HealthState } from '../lifecycle/agent-health.js';
import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import type { RunStatus } from '../lifecycle/run-lifecycle.js';
import { toUsageResponse } from '../runs/usage.response.js';
import {
  AgentApprovalsResponse,
  AgentFailedRunsResponse,
  AgentRunsResponse,
  ExceededQuotaResponse,
  FailingAgentResponse,
  FailingWebhookResponse,
  RecoveredResponse,
  SilentAgentResponse,
  SpendingResponse,
  toAgentRunsResponse,
  toExceededQuotaResponse,
  toFailingAgentResponse,
  toFailingWebhookResponse,
  toSilentAgentResponse,
  toWaitingCommandResponse,
  WaitingCommandResponse,
} from './attention.response.js';
import type { Overview } from './overview.service.js';

const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

export class OverviewResponse {
  @ApiProperty({ ...COUNTS, example: { failing: 2, healthy: 40 } })
  agents_by_health: Readonly<Record<HealthState, number>>;

  @ApiProperty({ ...COUNTS, example: { online: 41, offline: 1 } })
  agents_by_connection: Readonly<Record<AgentConnection, number>>;

  @ApiProperty({
    type: [FailingAgentResponse],
    description: 'Twenty-five agents with the health `failing`: crash loops first, then the latest failures.',
  })
  failing_agents: FailingAgentResponse[];

  @ApiProperty({
    type: RecoveredResponse,
    description: 'What failed in the last 24 hours, but is not failing now.',
  })
  recovered: RecoveredResponse;

  @ApiProperty({
    type: 'integer',
    description: 'Agents with the health `offline` that have called before.',
    example: 1,
  })
  silent_agent_count: number;

  @ApiProperty({
    type: [SilentAgentResponse],
    description: 'Ten of them, latest call first.',
  })
  silent_agents: SilentAgentResponse[];

  @ApiProperty({
    type: 'integer',
    description: 'Agents with an unsupported runtime, as listed by `GET /agents?outdated=true`.',
    example: 3,
  })
  outdated_agent_count: number;

  @ApiProperty({ ...COUNTS, example: { ready: 40, failed: 2 } })
  deployments_by_status: Readonly<Record<DeploymentStatus, number>>;

  @ApiProperty({ type: 'integer', description: 'Failures of deployments in the last 24 hours.', example: 2 })
  failures: number;

  @ApiProperty({
    type: 'integer',
    description: 'Commands that were not acknowledged for more than a minute.',
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
    description: 'Runs of the last 24 hours that failed, timed out or were abandoned.',
    example: 3,
  })
  failed_runs: number;

  @ApiProperty({
    type: 'integer',
    description:
      'Agents whose newest failed run has no later successful one, and that are neither failing nor offline ' +
      'themselves.',
    example: 2,
  })
  agents_whose_runs_fail: number;

  @ApiProperty({
    type: [AgentFailedRunsResponse],
    description: 'Ten of them, most failed runs first.',
  })
  agents_with_failed_runs: AgentFailedRunsResponse[];

  @ApiProperty({
    type: 'integer',
    description: 'Agents with runs that have been due for longer than ten minutes.',
    example: 1,
  })
  agents_whose_runs_wait: number;

  @ApiProperty({
    type: [AgentRunsResponse],
    description: 'Ten of them, oldest first.',
  })
  agents_with_waiting_runs: AgentRunsResponse[];

  @ApiProperty({ type: 'integer', description: 'Pending approvals.', example: 4 })
  pending_approvals: number;

  @ApiProperty({
    type: [AgentApprovalsResponse],
    description: 'Fifty agents with pending approvals, longest wait first.',
  })
  agents_with_pending_approvals: AgentApprovalsResponse[];

  @ApiProperty({ type: 'integer', description: 'Budgets that warn or are exceeded.', example: 1 })
  strained_budget_count: number;

  @ApiProperty({
    type: [BudgetResponse],
    description: 'Ten of them, those furthest beyond their limits first.',
  })
  strained_budgets: BudgetResponse[];

  @ApiProperty({
    type: 'integer',
    description: 'Quotas of agents and projects that are used up until midnight UTC.',
    example: 1,
  })
  exceeded_quota_count: number;

  @ApiProperty({ type: [ExceededQuotaResponse], description: 'Ten of them, latest first.' })
  exceeded_quotas: ExceededQuotaResponse[];

  @ApiProperty({ type: [FailingWebhookResponse] })
  failing_webhooks: FailingWebhookResponse[];

  @ApiProperty({
    type: SpendingResponse,
    description: 'Usage of models and tools, as in `GET /usage`.',
  })
  spending: SpendingResponse;
}

export function toOverviewResponse({
  agents,
  deployments,
  approvals,
  commands,
  limits,
  runs,
  webhooks,
  spending,
}: Overview): OverviewResponse {
  return {
    agents_by_health: agents.byHealth,
    agents_by_connection: agents.byConnection,
    failing_agents: deployments.failing.map((agent) =>
      toFailingAgentResponse(agent, runs.failedOf.get(agent.agentId) ?? 0),
    ),
    recovered: {
      agents: deployments.failures.recoveredAgents,
      failures: deployments.failures.recovered,
      agents_with_failed_runs: runs.recovered.agents,
      failed_runs: runs.recovered.runs,
    },
    silent_agent_count: agents.silentCount,
    silent_agents: agents.silent.map(toSilentAgentResponse),
    outdated_agent_count: agents.outdatedCount,
    deployments_by_status: deployments.byStatus,
    failures: deployments.failures.total,
    waiting_commands: commands.total,
    oldest_waiting_commands: commands.oldest.map(toWaitingCommandResponse),
    runs_by_status: runs.byStatus,
    failed_runs: runs.failed,
    agents_whose_runs_fail: runs.failingCount,
    agents_with_failed_runs: runs.failing.map((agent) => ({
      ...toAgentRunsResponse(agent),
      error: agent.error,
    })),
    agents_whose_runs_wait: runs.waitingCount,
    agents_with_waiting_runs: runs.waiting.map(toAgentRunsResponse),
    pending_approvals: approvals.pending,
    agents_with_pending_approvals: approvals.agents.map(({ agentId, agentName, count, at }) => ({
      agent_id: agentId,
      agent_name: agentName,
      approvals: count,
      at,
    })),
    strained_budget_count: limits.budgetCount,
    strained_budgets: limits.budgets,
    exceeded_quota_count: limits.quotaCount,
    exceeded_quotas: limits.quotas.map(toExceededQuotaResponse),
    failing_webhooks: webhooks.map(toFailingWebhookResponse),
    spending: { today: toUsageResponse(spending.today), this_month: toUsageResponse(spending.thisMonth) },
  };
}
