import { ApiProperty } from '@nestjs/swagger';
import { AGENT_STATUSES, type AgentStatus } from '../lifecycle/agent-lifecycle.js';
import {
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
  STATUS_SOURCES,
  type StatusSource,
} from '../lifecycle/deployment-lifecycle.js';
import { ShownId, ShownNumber, ShownText, ShownTime } from '../http/response-fields.js';

// The data of messages are classes of their own: a field that is added to the API's resources must not reach third parties.

export class WebhookAgent {
  @ShownId({ example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  readonly id: string;

  @ShownId({ description: 'The same as `id`.' })
  readonly agent_id: string;

  @ShownId({ description: 'The owner.' })
  readonly user_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  readonly name: string;

  @ShownText({ nullable: true })
  readonly description: string | null;

  @ApiProperty({ example: 'worker' })
  readonly type: string;

  @ApiProperty({ enum: AGENT_STATUSES })
  readonly status: AgentStatus;

  @ShownText({ nullable: true, example: '1.4.2' })
  readonly version: string | null;

  @ShownText({ nullable: true, example: 'worker-7' })
  readonly hostname: string | null;

  @ShownText({ nullable: true, example: 'linux/x64' })
  readonly platform: string | null;

  @ShownTime()
  readonly created_at: string;

  @ShownTime()
  readonly updated_at: string;
}

abstract class LinkedData {
  @ShownText({
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
  @ApiProperty({ enum: AGENT_STATUSES })
  readonly previous_status: AgentStatus;
}

export class WebhookDeployment {
  @ShownId({ example: '0192f0c2-52fb-7a10-b1d6-5f1c1c7be0aa' })
  readonly id: string;

  @ShownId({ description: 'The same as `id`.' })
  readonly deployment_id: string;

  @ShownId()
  readonly agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  readonly agent_name: string;

  @ApiProperty({ enum: DEPLOYMENT_STATUSES })
  readonly status: DeploymentStatus;

  @ApiProperty({ enum: STATUS_SOURCES, description: 'Who moved the status last.' })
  readonly status_source: StatusSource;

  @ShownNumber({ min: 1, description: 'Version of the config that it was made with.' })
  readonly config_version: number;

  @ShownNumber({ min: 0, description: 'How many are wanted.' })
  readonly replicas: number;

  @ShownNumber({ min: 0, description: 'How many the runtime reports ready.' })
  readonly ready_replicas: number;

  @ShownNumber({ min: 1, description: 'What was asked for.' })
  readonly generation: number;

  @ShownNumber({ nullable: true, description: 'The last one that the runtime confirmed.' })
  readonly observed_generation: number | null;

  @ShownText({ nullable: true })
  readonly node_id: string | null;

  @ShownText({ nullable: true, example: 'exit code 1' })
  readonly error_message: string | null;

  @ShownNumber({ min: 0 })
  readonly restart_count: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The last end of a replica.',
  })
  readonly last_exit: object | null;

  @ShownTime()
  readonly created_at: string;

  @ShownTime({ description: 'Creation, or the last restart.' })
  readonly started_at: string;

  @ShownTime({ nullable: true })
  readonly ended_at: string | null;

  @ShownTime()
  readonly updated_at: string;
}

/** The step as the history has it. */
export class WebhookDeploymentEvent {
  @ShownId()
  readonly id: string;

  @ShownId()
  readonly deployment_id: string;

  @ShownNumber({
    min: 1,
    description: 'Counts from 1 in each deployment, without gaps: put messages in order by it.',
  })
  readonly sequence: number;

  @ApiProperty({ description: 'As in the deployment history.', example: 'ready' })
  readonly event_type: string;

  @ApiProperty({ enum: DEPLOYMENT_STATUSES, description: 'The status after this step.' })
  readonly status: DeploymentStatus;

  @ApiProperty({ type: String, enum: DEPLOYMENT_STATUSES, nullable: true, description: 'Null at first.' })
  readonly previous_status: DeploymentStatus | null;

  @ShownNumber({ min: 0 })
  readonly replicas: number;

  @ApiProperty({ description: 'Who caused it: `user:<id>`, `agent:<id>` or `monitor`.', example: 'monitor' })
  readonly actor: string;

  @ShownText({ nullable: true })
  readonly node_id: string | null;

  @ShownText({ nullable: true })
  readonly error_message: string | null;

  @ShownTime()
  readonly created_at: string;
}

export class DeploymentEventData extends LinkedData {
  @ApiProperty({ description: 'The deployment as it was right after the step.' })
  readonly deployment: WebhookDeployment;

  @ApiProperty({ description: "The step, as the deployment's history has it." })
  readonly event: WebhookDeploymentEvent;
}

export class WebhookTestData {
  @ShownId()
  readonly webhook_id: string;

  @ApiProperty({ example: 'This is a test message' })
  readonly message: string;
}
