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

  @ApiProperty({ type: String, format: 'uuid', description: 'Same as `id`.' })
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
  @ApiProperty({ description: 'The agent at the time of the event, without its `config`.' })
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
  @ApiProperty({ description: "The agent's current pause, or its last one." })
  readonly pause: WebhookPause;
}

export class AgentMovedData extends AgentEventData {
  @ApiProperty({ type: String, format: 'uuid', description: 'The project that it belonged to before.' })
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
  @shownAs('DeploymentResponse', 'The deployment right after the event.')
  readonly deployment: MessageDeployment;

  @shownAs('DeploymentEventResponse', 'The event; order messages by its `sequence`.')
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
    description: 'The run right after the event.',
  })
  readonly run: MessageRun;

  @shownAs('RunEventResponse', 'The event; order messages by its `sequence`.')
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
  @shownAs('BudgetResponse', 'The budget as of this check.')
  readonly budget: MessageBudget;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The run that exceeds a budget per run.',
  })
  readonly run_id: string | null;
}

export class WebhookQuota {
  @ApiProperty({
    description: 'The refused data: `logs`, `metrics`, `spans`, `config_bytes` or `config_versions`.',
    example: 'logs',
  })
  readonly kind: string;

  @ApiProperty({
    description: "Whether the limit is the `agent`'s or the `project`'s.",
    example: 'agent',
  })
  readonly scope: string;

  @ApiProperty({ type: String, format: 'uuid', description: "The project, or the agent's project." })
  readonly project_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: "Null: the limit is the project's.",
  })
  readonly agent_id: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'invoice-reader' })
  readonly agent_name: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: "Today's bytes or config versions.",
    example: 1_073_741_910,
  })
  readonly used: number;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'The daily limit, in the same unit.',
    example: 1_073_741_824,
  })
  readonly limit: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Since when more is refused, until midnight UTC.',
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
  @shownAs('ApprovalSummaryResponse', 'The approval right after the event, without its arguments.')
  readonly approval: MessageApproval;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Its page in the dashboard, where people decide after logging in. Null: `WEB_PUBLIC_URL` is not set.',
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
