import { ApiProperty } from '@nestjs/swagger';
import { readyOf } from '../lifecycle/agent-health.js';
import { askedReplicasOf } from '../lifecycle/deployment-pause.js';
import {
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
  STATUS_SOURCES,
  type StatusSource,
} from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';

const EXAMPLE_ID = '0192f0c2-52fb-7a10-b1d6-5f1c1c7be0aa';

/** Bounds of a reported last exit. Exit codes of Windows take 32 bits. Texts are truncated; lengths in characters. */
export const LAST_EXIT = {
  minimumCode: -2_147_483_648,
  maximumCode: 4_294_967_295,
  maximumSignal: 32,
  maximumMessage: 1_000,
} as const;

export class LastExitResponse {
  @ApiProperty({
    required: false,
    type: 'integer',
    format: 'int64',
    minimum: LAST_EXIT.minimumCode,
    maximum: LAST_EXIT.maximumCode,
    example: 1,
  })
  code?: number;

  @ApiProperty({ required: false, maxLength: LAST_EXIT.maximumSignal, example: 'SIGKILL' })
  signal?: string;

  @ApiProperty({
    required: false,
    maxLength: LAST_EXIT.maximumMessage,
    description: 'The last line of its output.',
    example: 'out of memory',
  })
  message?: string;

  @ApiProperty({ type: String, format: 'date-time' })
  at: string;
}

export class DeploymentResponse {
  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'Same as `id`.', example: EXAMPLE_ID })
  deployment_id: string;

  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'The project that owns it.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  project_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({
    enum: DEPLOYMENT_STATUSES,
    enumName: 'DeploymentStatus',
    description: '`running` and `ready` are never assumed: a runtime has reported them.',
  })
  status: DeploymentStatus;

  @ApiProperty({
    enum: STATUS_SOURCES,
    enumName: 'StatusSource',
    description: 'Who changed the status last.',
  })
  status_source: StatusSource;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: "The version of the agent's config; restarts keep it.",
    example: 2,
  })
  config_version: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'The requested number, also during a pause; the runtime then receives 0.',
    example: 1,
  })
  replicas: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number that the runtime reports as ready.',
    example: 1,
  })
  ready_replicas: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Rises with each deploy, scale and restart.',
    example: 1,
  })
  generation: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The last generation that the runtime has confirmed.',
    example: 1,
  })
  observed_generation: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The host, as reported by the runtime.',
    example: 'worker-7',
  })
  node_id: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'exit code 1' })
  error_message: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Restarts of its replicas since the last deploy or restart, as counted by the runtime.',
  })
  restart_count: number;

  @ApiProperty({ type: LastExitResponse, nullable: true, description: 'The last end of a replica.' })
  last_exit: LastExitResponse | null;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it was created or last restarted.' })
  started_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it was stopped, failed or killed; null again after a restart.',
  })
  ended_at: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  updated_at: string;
}

/** A deployment as its runtime gets it: while a pause holds it, no replica is wanted. */
export function toAskedDeploymentResponse(deployment: DeploymentEntity): DeploymentResponse {
  return toDeploymentResponse({ ...deployment, replicas: askedReplicasOf(deployment) });
}

export function toDeploymentResponse(deployment: DeploymentEntity): DeploymentResponse {
  return {
    id: deployment.id,
    deployment_id: deployment.id,
    agent_id: deployment.agentId,
    project_id: deployment.projectId,
    agent_name: deployment.agentName,
    status: deployment.status,
    status_source: deployment.statusSource,
    config_version: deployment.configVersion,
    replicas: deployment.replicas,
    ready_replicas: readyOf(deployment),
    generation: deployment.generation,
    observed_generation: deployment.observedGeneration,
    node_id: deployment.nodeId,
    error_message: deployment.errorMessage,
    restart_count: deployment.restartCount,
    last_exit: deployment.lastExit,
    created_at: deployment.createdAt,
    started_at: deployment.startedAt,
    ended_at: deployment.endedAt,
    updated_at: deployment.updatedAt,
  };
}
