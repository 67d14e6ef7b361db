import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { ANY_JSON } from '../http/openapi/property-schemas.js';
import { AGENT_STATUSES, type AgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { PAUSED_BY, type PausedBy } from '../lifecycle/deployment-pause.js';
import type { RunStatus } from '../lifecycle/run-lifecycle.js';

// The agent in a webhook message. It is a separate class because an agent's `config`, and later fields of the API, must
// not reach third parties. A deployment and its step contain no secret, and are sent in the form of the API.

export class WebhookAgent {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  readonly id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'The same as `id`.' })
  readonly agent_id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'Who created it.' })
  readonly user_id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'The project that owns it.' })
  readonly project_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  readonly name: string;

  @ApiProperty({ type: String, nullable: true })
  readonly description: string | null;

  @ApiProperty({ example: 'worker' })
  readonly type: string;

  @ApiProperty({ enum: AGENT_STATUSES, enumName: 'AgentStatus' })
  readonly status: AgentStatus;

  @ApiProperty({ type: String, nullable: true, example: '1.4.2' })
  readonly version: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'worker-7' })
  readonly hostname: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'linux/x64' })
  readonly platform: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly updated_at: string;
}

abstract class LinkedData {
  @ApiProperty({
    type: String,
    nullable: true,
    description: "The agent's page in the dashboard. Null: `WEB_PUBLIC_URL` is not set.",
    example: 'https://control.example.com/agents/0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  readonly agent_url: string | null;
}

export class AgentEventData extends LinkedData {
  @ApiProperty({ description: 'The agent as it was at that moment, without its `config`.' })
  readonly agent: WebhookAgent;
}

export class AgentStatusChangedData extends AgentEventData {
  @ApiProperty({ enum: AGENT_STATUSES, enumName: 'AgentStatus' })
  readonly previous_status: AgentStatus;
}

export class WebhookPause {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c5-2b1e-7a10-9c11-5f1c1c7be0aa' })
  readonly id: string;

  @ApiProperty({ enum: PAUSED_BY, enumName: 'PausedBy' })
  readonly by: PausedBy;

  @ApiProperty({ type: String, nullable: true, example: 'It spends too much' })
  readonly reason: string | null;
}

export class AgentPausedData extends AgentEventData {
  @ApiProperty({ description: 'The pause that holds the agent, or the last one that did.' })
  readonly pause: WebhookPause;
}

export class AgentMovedData extends AgentEventData {
  @ApiProperty({ type: String, format: 'uuid', description: 'The project that it belonged to.' })
  readonly from_project_id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'The project that it belongs to now.' })
  readonly to_project_id: string;
}

/** The fields of a deployment in messages for people. */
interface MessageDeployment {
  readonly id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly replicas: number;
  readonly ready_replicas: number;
}

/** The fields of a step in messages for people. */
interface MessageStep {
  readonly status: DeploymentStatus;
  readonly previous_status: DeploymentStatus | null;
  readonly error_message: string | null;
}

/** Refers to a model of the API by name, because webhooks import no other feature. */
const shownAs = (model: string, description: string) =>
  ApiProperty({ allOf: [{ $ref: getSchemaPath(model) }], description });

export class DeploymentEventData extends LinkedData {
  @shownAs('DeploymentResponse', 'The deployment as it was right after the step.')
  readonly deployment: MessageDeployment;

  @shownAs('DeploymentEventResponse', 'The step; put messages in order by its `sequence`.')
  readonly event: MessageStep;
}

/** The fields of a run in messages for people. */
interface MessageRun {
  readonly id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly name: string | null;
}

/** The fields of a run's step in messages for people. */
interface MessageRunStep {
  readonly status: RunStatus;
  readonly previous_status: RunStatus | null;
  readonly message: string | null;
}

/** Schema of what a run was given, or has made. */
const PAYLOAD = {
  ...ANY_JSON,
  nullable: true,
  description: 'Any JSON value. Only for webhooks with `include_payloads`.',
};

export class RunEventData extends LinkedData {
  @ApiProperty({
    allOf: [
      { $ref: getSchemaPath('RunSummaryResponse') },
      { type: 'object', properties: { input: PAYLOAD, output: PAYLOAD } },
    ],
    description: 'The run as it was right after the step.',
  })
  readonly run: MessageRun;

  @shownAs('RunEventResponse', 'The step; put messages in order by its `sequence`.')
  readonly event: MessageRunStep;
}

/** The fields of a budget in messages for people. */
interface MessageBudget {
  readonly id: string;
  readonly name: string;
  readonly agent_id: string | null;
  readonly period: string;
  readonly limit: object;
  readonly spent: object;
}

export class BudgetEventData {
  @shownAs('BudgetResponse', 'The budget as it was judged.')
  readonly budget: MessageBudget;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The run that a budget for runs is about.',
  })
  readonly run_id: string | null;
}

export class WebhookQuota {
  @ApiProperty({
    description: 'What is refused: `logs`, `metrics`, `spans`, `config_bytes` or `config_versions`.',
    example: 'logs',
  })
  readonly kind: string;

  @ApiProperty({
    description: 'Whose limit is reached: that of an `agent` or of the `project`.',
    example: 'agent',
  })
  readonly scope: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'The project, or that of the agent.' })
  readonly project_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null: the project has reached its limit.',
  })
  readonly agent_id: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'invoice-reader' })
  readonly agent_name: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Bytes of today, or config versions.',
    example: 1_073_741_910,
  })
  readonly used: number;

  @ApiProperty({ type: 'integer', description: 'The same for a day.', example: 1_073_741_824 })
  readonly limit: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'More is refused from then on until midnight, UTC.',
  })
  readonly refused_since: string;
}

export class QuotaEventData {
  @ApiProperty()
  readonly quota: WebhookQuota;
}

/** The fields of an approval in messages for people. */
interface MessageApproval {
  readonly id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly title: string;
  readonly risk: string;
  readonly state: string;
}

export class ApprovalEventData {
  @shownAs('ApprovalSummaryResponse', 'The approval as it was right after the step, without its arguments.')
  readonly approval: MessageApproval;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Its page in the dashboard, where people decide once they are logged in. Null: `WEB_PUBLIC_URL` is not set.',
    example: 'https://control.example.com/approvals/0192f0c7-3c1e-7b10-8c11-6f1c1c7be0aa',
  })
  readonly approval_url: string | null;
}

export class WebhookTestData {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly webhook_id: string;

  @ApiProperty({ example: 'This is a test message' })
  readonly message: string;
}
