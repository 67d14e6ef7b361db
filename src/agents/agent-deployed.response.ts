import { ApiProperty } from '@nestjs/swagger';
import type { AgentDeployed } from './agent.types.js';

export class AgentDeployedResponse {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description:
      'The newest deployed config version, if `config_version` is higher, that is, not deployed yet.',
    example: 2,
  })
  config_version: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  deployments: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of replicas that should run.',
    example: 4,
  })
  replicas: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of replicas that are ready.', example: 3 })
  ready_replicas: number;
}

export function toAgentDeployedResponse(deployed: AgentDeployed): AgentDeployedResponse {
  return {
    config_version: deployed.configVersion,
    deployments: deployed.deployments,
    replicas: deployed.replicas,
    ready_replicas: deployed.readyReplicas,
  };
}
