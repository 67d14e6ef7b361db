import { ApiProperty } from '@nestjs/swagger';
import { ANY_JSON } from '../http/openapi/property-schemas.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH_STATES,
  healthOf,
  type HealthState,
} from '../lifecycle/agent-health.js';
import { PAUSED_BY, type PausedBy } from '../lifecycle/deployment-pause.js';
import { AGENT_STATUSES, type AgentStatus } from '../lifecycle/agent-lifecycle.js';
import {
  type Capture,
  CAPTURES,
  LOOP_ACTIONS,
  type LoopAction,
  USAGE_CHOICES,
  type UsageChoice,
} from './agent-settings.types.js';
import { AgentDeployedResponse, toAgentDeployedResponse } from './agent-deployed.response.js';
import type { Agent, ConfigView, CreatedAgent } from './agent.types.js';
import { isOutdated, type RuntimeSoftware } from './runtime-software.types.js';
import { CONFIG_EXAMPLE, CONFIG_SHOWN, shownConfig } from './config-secrets.js';

const EXAMPLE_ID = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';

export class AgentHealthResponse {
  @ApiProperty({
    enum: HEALTH_STATES,
    enumName: 'AgentHealthState',
    description:
      '`idle`: no deployment should run. `healthy`: everything that should run is ready. `degraded`: some replicas ' +
      'are not ready, or restart often. `failing`: crash loop, or the newest deployment failed and none is active. ' +
      '`offline`: a deployment should run, but the agent does not call. `paused`: takes precedence over all others.',
  })
  state: HealthState;

  @ApiProperty({ example: '3 of 4 replicas ready in deployment …1c7be0aa' })
  reason: string;
}

export class AgentPauseResponse {
  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'Of several pauses, the oldest.',
    example: '0192f0c5-2b1e-7a10-9c11-5f1c1c7be0aa',
  })
  pause_id: string;

  @ApiProperty({ enum: PAUSED_BY, enumName: 'PausedBy' })
  by: PausedBy;

  @ApiProperty({ type: String, nullable: true, example: 'It spends too much' })
  reason: string | null;

  @ApiProperty({ type: String, format: 'date-time', description: 'When the pause was requested.' })
  at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the runtime acknowledged that nothing runs; null: not yet.',
  })
  confirmed_at: string | null;
}

export class AgentRuntimeResponse {
  @ApiProperty({ example: 'svc' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: '1.4.2' })
  version: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Protocol version of the runtime.',
    example: 1,
  })
  protocol: number | null;

  @ApiProperty({ description: 'The service no longer supports this protocol version: upgrade the runtime.' })
  outdated: boolean;
}

export class AgentResponse {
  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'Same as `id`.', example: EXAMPLE_ID })
  agent_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'The creator, or the owner of the personal project that it was moved to.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  user_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'The project that owns the agent.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  project_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'Reads the invoices.' })
  description: string | null;

  @ApiProperty({ example: 'worker' })
  type: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Key-value pairs for searches.',
    example: { team: 'billing' },
  })
  labels: Readonly<Record<string, string>>;

  @ApiProperty({ description: CONFIG_SHOWN, example: CONFIG_EXAMPLE })
  config: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Number of the newest config version.',
    example: 2,
  })
  config_version: number;

  @ApiProperty({
    enum: LOOP_ACTIONS,
    enumName: 'LoopAction',
    description: 'What happens to a run that repeats the same call of a tool.',
  })
  on_loop: LoopAction;

  @ApiProperty({ enum: CAPTURES, enumName: 'Capture', description: 'Which content of spans is stored.' })
  capture: Capture;

  @ApiProperty({
    enum: USAGE_CHOICES,
    enumName: 'UsageChoice',
    description:
      "Source of the usage. `auto`: for each model spans, else metrics, else the agent's own reports.",
  })
  usage_from: UsageChoice;

  @ApiProperty({ enum: AGENT_STATUSES, enumName: 'AgentStatus' })
  status: AgentStatus;

  @ApiProperty({
    enum: AGENT_CONNECTIONS,
    enumName: 'AgentConnection',
    description: 'Whether its runtime calls, at the time of this request.',
  })
  connection: AgentConnection;

  @ApiProperty({ description: 'Derived from deployments and connection, at the time of this request.' })
  health: AgentHealthResponse;

  @ApiProperty({
    type: AgentPauseResponse,
    nullable: true,
    description: 'Null: the agent is not paused.',
  })
  paused: AgentPauseResponse | null;

  @ApiProperty({
    type: AgentDeployedResponse,
    nullable: true,
    description: 'Totals of its active deployments, at the time of this request. Null: none should run.',
  })
  deployed: AgentDeployedResponse | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'From the last heartbeat.',
    example: 'running',
  })
  reported_status: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'From the last heartbeat.' })
  reported_message: string | null;

  @ApiProperty({ ...ANY_JSON, nullable: true, description: 'From the registration; any JSON value.' })
  capabilities: unknown;

  @ApiProperty({
    selfRequired: true,
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'From the registration.',
  })
  metadata: unknown;

  @ApiProperty({ type: String, nullable: true, description: "From the runtime's reports.", example: '1.4.2' })
  version: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'worker-7' })
  hostname: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'linux/x64' })
  platform: string | null;

  @ApiProperty({
    type: AgentRuntimeResponse,
    nullable: true,
    description:
      'From the registration: the program that speaks the protocol for the agent. Null: not reported.',
  })
  runtime: AgentRuntimeResponse | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_heartbeat: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time' })
  updated_at: string;
}

export class CreatedAgentResponse extends AgentResponse {
  @ApiProperty({
    description: "The agent's first runtime key, which is shown only once.",
    example: 'svc_agent_AZLwwXo-fMGdVw9MXBorPQ...',
  })
  api_key: string;
}

/** @param view what the caller sees of the config */
export function toAgentResponse(agent: Agent, view: ConfigView): AgentResponse {
  return {
    id: agent.id,
    agent_id: agent.id,
    user_id: agent.createdBy ?? agent.projectId,
    project_id: agent.projectId,
    name: agent.name,
    description: agent.description,
    type: agent.type,
    labels: agent.labels,
    config_version: agent.configVersion,
    on_loop: agent.onLoop,
    capture: agent.capture,
    usage_from: agent.usageFrom,
    status: agent.status,
    reported_status: agent.reportedStatus,
    reported_message: agent.reportedMessage,
    capabilities: agent.capabilities,
    metadata: agent.metadata,
    version: agent.version,
    hostname: agent.hostname,
    platform: agent.platform,
    runtime: agent.runtime && toAgentRuntimeResponse(agent.runtime),
    last_heartbeat: agent.lastHeartbeatAt,
    created_at: agent.createdAt,
    updated_at: agent.updatedAt,
    config: shownConfig(agent.config, view),
    connection: agent.connection,
    health: healthOf(agent),
    paused: toAgentPauseResponse(agent),
    deployed: agent.deployed && toAgentDeployedResponse(agent.deployed),
  };
}

export function toAgentPauseResponse({ pause, pauseConfirmedAt }: Agent): AgentPauseResponse | null {
  if (!pause) return null;
  const at = new Date(pause.at).toISOString();
  return {
    pause_id: pause.id,
    by: pause.by,
    reason: pause.reason,
    at,
    // An earlier pause was confirmed: the runtime had nothing left to do for this one.
    confirmed_at: pauseConfirmedAt !== null && pauseConfirmedAt < at ? at : pauseConfirmedAt,
  };
}

function toAgentRuntimeResponse(runtime: RuntimeSoftware): AgentRuntimeResponse {
  const { name, version = null, protocol = null } = runtime;
  return { name, version, protocol, outdated: isOutdated(runtime) };
}

export function toCreatedAgentResponse(created: CreatedAgent, view: ConfigView): CreatedAgentResponse {
  return { ...toAgentResponse(created.agent, view), api_key: created.key };
}
