import { ApiProperty } from '@nestjs/swagger';
import { IdsParameter } from '../../http/list-fields.js';
import { ProjectParameter } from '../../http/project-fields.js';
import { HEALTH_STATES, type HealthState } from '../../lifecycle/agent-health.js';
import { type AgentHours, HOURS } from '../health-hours.service.js';

const MAXIMUM_AGENTS = 100;

export class HealthHoursQuery {
  @IdsParameter(MAXIMUM_AGENTS)
  agent_id: string[];

  @ProjectParameter()
  project_id?: string;
}

export class AgentHealthHours {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({
    enum: HEALTH_STATES,
    enumName: 'AgentHealthState',
    isArray: true,
    maxItems: HOURS,
    description:
      'The worst health of each hour (UTC), oldest first; the last one is the current hour. Fewer than 24 if the ' +
      'agent is younger, or has too many events to read. `offline` counts from when the agent was marked as lost.',
    example: ['idle', 'progressing', 'healthy'],
  })
  hours: HealthState[];
}

export class HealthHoursResponse {
  @ApiProperty({ type: [AgentHealthHours], description: "Agents that the caller can't see are left out." })
  agents: AgentHealthHours[];
}

export function toHealthHoursResponse(agents: readonly AgentHours[]): HealthHoursResponse {
  return { agents: agents.map(({ agentId, hours }) => ({ agent_id: agentId, hours: [...hours] })) };
}
