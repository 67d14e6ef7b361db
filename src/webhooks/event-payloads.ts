import { ApiProperty } from '@nestjs/swagger';
import { AGENT_STATUSES, type AgentStatus } from '../lifecycle/agent-lifecycle.js';
import {
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
  STATUS_SOURCES,
  type StatusSource,
} from '../lifecycle/deployment-lifecycle.js';

// What messages carry, named apart from the API's own resources: what is added to those must not reach third parties.

export class WebhookAgent {
  @ApiProperty({ format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  readonly id: string;

  @ApiProperty({ format: 'uuid', description: 'The same as `id`.' })
  readonly agent_id: string;

  @ApiProperty({ format: 'uuid', description: 'The owner.' })
  readonly user_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  readonly name: string;

  @ApiProperty({ type: String, nullable: true })
  readonly description: string | null;

  @ApiProperty({ example: 'worker' })
  readonly type: string;

  @ApiProperty({ enum: AGENT_STATUSES })
  readonly status: AgentStatus;

  @ApiProperty({ type: String, nullable: true, example: '1.4.2' })
  readonly version: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'worker-7' })
  readonly hostname: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'linux/x64' })
  readonly platform: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ format: 'date-time' })
  readonly updated_at: string;
}

abstract class LinkedData {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      "The agent's page in the dashboard. Null: the service does not know the dashboard's address.",
    example: 'https://control.example.com/agents/0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  readonly agent_url: string | null;
}

export class AgentEventData extends LinkedData {
  @ApiProperty({ description: 'The agent as it was at that moment, without its `config`.' })
  readonly agent: WebhookAgent;
}

export class AgentStatusChangedData extends AgentEventData {
  @ApiProperty({ enum: AGENT_STATUSES })
  readonly previous_status: AgentStatus;
}

export class WebhookDeployment {
  @ApiProperty({ format: 'uuid', example: '0192f0c2-52fb-7a10-b1d6-5f1c1c7be0aa' })
  readonly id: string;

  @ApiProperty({ format: 'uuid', description: 'The same as `id`.' })
  readonly deployment_id: string;

  @ApiProperty({ format: 'uuid' })
  readonly agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  readonly agent_name: string;

  @ApiProperty({ enum: DEPLOYMENT_STATUSES })
  readonly status: DeploymentStatus;

  @ApiProperty({ enum: STATUS_SOURCES, description: 'Who moved the status last.' })
  readonly status_source: StatusSource;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Version of the config that it was made with.' })
  readonly config_version: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many are wanted.' })
  readonly replicas: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many the runtime reports ready.' })
  readonly ready_replicas: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'What was asked for.' })
  readonly generation: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The last one that the runtime confirmed.' })
  readonly observed_generation: number | null;

  @ApiProperty({ type: String, nullable: true })
  readonly node_id: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'exit code 1' })
  readonly error_message: string | null;

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly restart_count: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The last end of a replica.',
  })
  readonly last_exit: object | null;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;

  @ApiProperty({ format: 'date-time', description: 'Creation, or the last restart.' })
  readonly started_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly ended_at: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly updated_at: string;
}

/** The step as the history has it. */
export class WebhookDeploymentEvent {
  @ApiProperty({ format: 'uuid' })
  readonly id: string;

  @ApiProperty({ format: 'uuid' })
  readonly deployment_id: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Counts from 1 in each deployment, without gaps: put messages in order by it.',
  })
  readonly sequence: number;

  @ApiProperty({ description: 'As in the deployment history.', example: 'ready' })
  readonly event_type: string;

  @ApiProperty({ enum: DEPLOYMENT_STATUSES, description: 'The status after this step.' })
  readonly status: DeploymentStatus;

  @ApiProperty({ type: String, enum: DEPLOYMENT_STATUSES, nullable: true, description: 'Null at first.' })
  readonly previous_status: DeploymentStatus | null;

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly replicas: number;

  @ApiProperty({ description: 'Who caused it: `user:<id>`, `agent:<id>` or `monitor`.', example: 'monitor' })
  readonly actor: string;

  @ApiProperty({ type: String, nullable: true })
  readonly node_id: string | null;

  @ApiProperty({ type: String, nullable: true })
  readonly error_message: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly created_at: string;
}

export class DeploymentEventData extends LinkedData {
  @ApiProperty({ description: 'The deployment as it was right after the step.' })
  readonly deployment: WebhookDeployment;

  @ApiProperty({ description: "The step, as the deployment's history has it." })
  readonly event: WebhookDeploymentEvent;
}

export class WebhookTestData {
  @ApiProperty({ format: 'uuid' })
  readonly webhook_id: string;

  @ApiProperty({ example: 'This is a test message' })
  readonly message: string;
}
