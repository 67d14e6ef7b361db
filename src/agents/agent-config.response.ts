import { ApiProperty } from '@nestjs/swagger';
import { ActorEmailProperty, ActorNameProperty } from '../http/actor-name-properties.js';
import { shownNames } from '../http/actor-names.js';
import type { NamedConfig } from './agent-configs.service.js';
import type { ConfigView } from './agent.types.js';
import { CONFIG_EXAMPLE, CONFIG_SHOWN, shownConfig } from './config-secrets.js';

export class AgentConfigResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Counts from 1 in each agent.', example: 2 })
  config_version: number;

  @ApiProperty({ description: CONFIG_SHOWN, example: CONFIG_EXAMPLE })
  config: string;

  @ApiProperty({ type: String, format: 'date-time' })
  created_at: string;

  @ApiProperty({
    description: 'Author of the version: `user:<id>` or `key:<id>`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  actor: string;

  @ActorNameProperty()
  actor_name: string | null;

  @ActorEmailProperty()
  actor_email: string | null;
}

export function toAgentConfigResponse(version: NamedConfig, view: ConfigView): AgentConfigResponse {
  return {
    agent_id: version.agentId,
    config_version: version.configVersion,
    config: shownConfig(version.config, view),
    created_at: version.createdAt,
    actor: version.actor,
    ...shownNames(version),
  };
}
