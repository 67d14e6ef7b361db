import { ApiProperty } from '@nestjs/swagger';
import { MAXIMUM_MESSAGES } from '../../budget/request-limits.js';
import type { DeliveredCommand } from '../runtime-commands.service.js';
import { ApprovalResponse } from '../../approvals/approval.response.js';
import { type RuntimeSoftware, upgradeAdvice } from '../../agents/runtime-software.types.js';
import { DeploymentResponse } from '../../deployments/deployment.response.js';
import { FieldError, fieldErrorsOf } from '../../http/error-body.js';
import { openEnumOf } from '../../http/openapi/property-schemas.js';
import { AGENT_STATUSES, type AgentStatus } from '../../lifecycle/agent-lifecycle.js';
import type { CommandAction } from '../../lifecycle/deployment-lifecycle.js';
import type { HeartbeatReply } from '../heartbeats.service.js';
import type { OwnStatus } from '../runtime-queries.service.js';

export class RegisteredResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ enum: ['registered'] })
  status: 'registered';

  @ApiProperty({ example: 'Agent registered' })
  message: string;

  @ApiProperty({ type: 'integer', example: 30 })
  heartbeat_interval_seconds: number;

  @ApiProperty({ type: [DeploymentResponse], description: "The agent's latest 100, newest first." })
  deployments: DeploymentResponse[];

  @ApiProperty({
    type: [ApprovalResponse],
    description: "The agent's questions whose answers it has not fetched: the newest 100, oldest first.",
  })
  approvals: ApprovalResponse[];

  @ApiProperty({
    required: false,
    description:
      'Only if the service does not support the protocol version of `runtime`: what to upgrade, for people. The ' +
      'agent keeps working.',
    example: 'my-runtime speaks protocol 0, but this service requires 1 or newer: upgrade my-runtime',
  })
  upgrade?: string;

  @ApiProperty({
    required: false,
    description:
      "Only if a person's credential enrolled a new agent: its runtime key, which is shown only once.",
  })
  api_key?: string;
}

export class HeartbeatResponse {
  @ApiProperty({ enum: ['ok'] })
  status: 'ok';

  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ type: String, format: 'date-time', description: "The service's time." })
  timestamp: string;

  @ApiProperty({ type: 'integer', example: 30 })
  heartbeat_interval_seconds: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Commands that wait for an acknowledgement.' })
  pending_commands: number;

  @ApiProperty({
    required: false,
    enum: [true],
    description:
      'The agent must register again at once: it reports state that the service does not have, for example after a ' +
      'restore.',
  })
  register?: true;

  @ApiProperty({
    required: false,
    description:
      'As in the reply to a registration; for runtimes that keep running while the service is upgraded.',
    example: 'my-runtime speaks protocol 0, but this service requires 1 or newer: upgrade my-runtime',
  })
  upgrade?: string;

  @ApiProperty({
    required: false,
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    description:
      "Only if there are any: ids of the agent's runs that it has to end now. They were cancelled or exceeded their " +
      'time limit.',
  })
  cancel_runs?: readonly string[];

  @ApiProperty({
    required: false,
    type: [FieldError],
    description:
      `Only if reports in \`deployments\` break rules: the broken rules, the first ${MAXIMUM_MESSAGES - 1} if there ` +
      `are more than ${MAXIMUM_MESSAGES}. These reports were skipped; the heartbeat and its other reports count.`,
  })
  refused?: FieldError[];
}

export class CommandParametersResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  generation: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  replicas: number;

  @ApiProperty({
    description: "The agent's configuration: a JSON document, as a string.",
    example: '{"command": ["node", "agent.js"]}',
  })
  config: string;

  @ApiProperty({
    required: false,
    description: 'Only for `restart`: replace the replicas one after another. Absent: all at once.',
    example: true,
  })
  rolling?: boolean;

  @ApiProperty({
    required: false,
    description: 'W3C trace context of the request that created the command, if it was traced.',
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  })
  traceparent?: string;
}

export class CommandResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  command_id: string;

  @ApiProperty({ ...openEnumOf('CommandAction'), description: 'More actions may be added.' })
  action: CommandAction;

  @ApiProperty({ type: String, format: 'uuid' })
  deployment_id: string;

  @ApiProperty({
    type: CommandParametersResponse,
    description: 'Everything that the runtime needs to carry it out.',
  })
  parameters: CommandParametersResponse;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 5,
    description: 'Number of deliveries of this command.',
  })
  attempt: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the service received the request that created it.',
  })
  received_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the lease ends: a command that is not acknowledged by then is delivered again.',
  })
  expires_at: string;
}

export class CommandListResponse {
  @ApiProperty({ type: [CommandResponse] })
  commands: CommandResponse[];
}

export class AcknowledgedResponse {
  @ApiProperty({ enum: ['ok'] })
  status: 'ok';

  @ApiProperty({ type: String, format: 'uuid' })
  command_id: string;

  @ApiProperty({
    required: false,
    description: 'Present and true if the command was acknowledged before: nothing has changed.',
  })
  duplicate?: boolean;
}

export class RuntimeStatusResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ enum: AGENT_STATUSES, enumName: 'AgentStatus' })
  status: AgentStatus;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_heartbeat: string | null;

  @ApiProperty({
    type: 'number',
    description: 'Seconds since it came online; 0 while it is offline.',
    example: 86_400,
  })
  uptime_seconds: number;

  @ApiProperty({ type: [DeploymentResponse], description: 'The latest 100, newest first.' })
  deployments: DeploymentResponse[];
}

export function toCommandListResponse(commands: readonly DeliveredCommand[]): CommandListResponse {
  return {
    commands: commands.map((command) => ({
      command_id: command.id,
      action: command.action,
      deployment_id: command.deploymentId,
      parameters: {
        deployment_id: command.parameters.deployment_id,
        generation: command.parameters.generation,
        replicas: command.parameters.replicas,
        config: command.config,
        rolling: command.parameters.rolling,
        traceparent: command.parameters.traceparent,
      },
      attempt: command.attempt,
      received_at: command.createdAt,
      expires_at: command.leasedUntil,
    })),
  };
}

export function toRegisteredResponse(registration: {
  readonly agentId: string;
  /** Present only for an agent that this request has enrolled. */
  readonly key?: string;
  readonly intervalSeconds: number;
  readonly runtime?: RuntimeSoftware;
  readonly deployments: readonly DeploymentResponse[];
  readonly approvals: readonly ApprovalResponse[];
}): RegisteredResponse {
  return {
    agent_id: registration.agentId,
    status: 'registered',
    message: registration.key === undefined ? 'Agent registered' : 'Agent enrolled and registered',
    heartbeat_interval_seconds: registration.intervalSeconds,
    deployments: [...registration.deployments],
    approvals: [...registration.approvals],
    ...adviceFor(registration.runtime),
    ...(registration.key === undefined ? {} : { api_key: registration.key }),
  };
}

function adviceFor(runtime: RuntimeSoftware | null | undefined): { readonly upgrade?: string } {
  const upgrade = runtime ? upgradeAdvice(runtime) : undefined;
  return upgrade === undefined ? {} : { upgrade };
}

export function toHeartbeatResponse(reply: HeartbeatReply, now: Date): HeartbeatResponse {
  return {
    status: 'ok',
    agent_id: reply.agentId,
    timestamp: now.toISOString(),
    heartbeat_interval_seconds: reply.intervalSeconds,
    pending_commands: reply.pendingCommands,
    ...(reply.hasToRegister ? { register: true } : {}),
    ...adviceFor(reply.runtime),
    ...(reply.runsToCancel.length > 0 ? { cancel_runs: reply.runsToCancel } : {}),
    ...(reply.refused.length > 0 ? { refused: fieldErrorsOf(reply.refused) } : {}),
  };
}

export function toAcknowledgedResponse(commandId: string, isFirst: boolean): AcknowledgedResponse {
  return { status: 'ok', command_id: commandId, ...(isFirst ? {} : { duplicate: true }) };
}

export function toRuntimeStatusResponse({ agent, deployments }: OwnStatus, now: Date): RuntimeStatusResponse {
  const uptimeMs = agent.onlineSince ? now.getTime() - Date.parse(agent.onlineSince) : 0;
  return {
    agent_id: agent.id,
    status: agent.status,
    last_heartbeat: agent.lastHeartbeatAt,
    uptime_seconds: Math.max(0, Math.round(uptimeMs / 1_000)),
    deployments: [...deployments],
  };
}
