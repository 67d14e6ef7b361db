import { ApiProperty } from '@nestjs/swagger';
import type { AgentWith } from '../../agents/agent.types.js';
import { AgentResponse, toAgentResponse } from '../../agents/agent.response.js';
import { JsonText } from '../../database/json-text.js';
import type { DeploymentEntity } from '../deployment.entity.js';
import { DeploymentResponse, toDeploymentResponse } from '../deployment.response.js';
import { latestShown } from '../shown-deployments.repository.js';

export class AgentDetailResponse extends AgentResponse {
  @ApiProperty({ type: [DeploymentResponse], description: 'The latest hundred, newest first.' })
  deployments: DeploymentResponse[];
}

export class StoppedAgentResponse {
  @ApiProperty({ type: String, format: 'uuid' })
  agent_id: string;

  @ApiProperty({ enum: ['stopped'] })
  status: 'stopped';

  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many deployments were active.' })
  stopped: number;

  @ApiProperty({ type: [DeploymentResponse], description: 'The deployments that were stopped now.' })
  deployments: DeploymentResponse[];
}

/** @param found `beside` the agent are its deployments */
export function toAgentDetailJson({ agent, beside }: AgentWith): JsonText<AgentDetailResponse> {
  const deployments = latestShown(beside);
  return JsonText.of(toAgentResponse(agent)).with(
    JsonText.object<Pick<AgentDetailResponse, 'deployments'>>({ deployments }),
  );
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
