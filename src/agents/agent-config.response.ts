import { ApiProperty } from '@nestjs/swagger';
import type { AgentConfigEntity } from './agent-config.entity.js';

export class AgentConfigResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Counts from 1 in each agent.', example: 2 })
  config_version: number;

  @ApiProperty({ description: 'A JSON document, as a string.', example: '{"command": ["node", "agent.js"]}' })
  config: string;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;

  @ApiProperty({
    description: '`user:` and the id of the person who saved it.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  actor: string;
}

export function toAgentConfigResponse(version: AgentConfigEntity): AgentConfigResponse {
  return {
    agent_id: version.agentId,
    config_version: version.configVersion,
    config: version.config,
    created_at: version.createdAt,
    actor: version.actor,
  };
}
