import { ApiProperty } from '@nestjs/swagger';
import { AgentResponse, toAgentResponse } from '../../agents/agent.response.js';
import type { DeploymentEntity } from '../deployment.entity.js';
import { DeploymentResponse, toDeploymentResponse } from '../deployment.response.js';
import type { AgentDetail } from '../agent-detail.service.js';

export class AgentDetailResponse extends AgentResponse {
  @ApiProperty({ type: [DeploymentResponse], description: 'The latest 100, newest first.' })
  deployments: DeploymentResponse[];
}

export class StoppedAgentResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ enum: ['stopped'] })
  status: 'stopped';

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of deployments that were active.' })
  stopped: number;

  @ApiProperty({ type: [DeploymentResponse], description: 'The deployments that this request has stopped.' })
  deployments: DeploymentResponse[];
}

export function toAgentDetailResponse({ agent, view, deployments }: AgentDetail): AgentDetailResponse {
  return { ...toAgentResponse(agent, view), deployments: deployments.map(toDeploymentResponse) };
}

export function toStoppedAgentResponse(
  agentId: string,
  deployments: readonly DeploymentEntity[],
): StoppedAgentResponse {
  return {
    agent_id: agentId,
    status: 'stopped',
    stopped: deployments.length,
    deployments: deployments.map(toDeploymentResponse),
  };
}
