import { ApiProperty } from '@nestjs/swagger';
import { type AgentGroups, MAXIMUM_GROUPS } from './agent-groups.types.js';

class AgentGroupResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description: "The type, the project's id, the label's value or its key; null: agents without this label.",
    example: 'billing',
  })
  value: string | null;

  @ApiProperty({ type: 'integer', example: 40 })
  agents: number;

  @ApiProperty({
    type: 'integer',
    description: 'Agents with the health `failing`, `degraded` or `offline`.',
    example: 2,
  })
  unhealthy: number;
}

export class AgentGroupsResponse {
  @ApiProperty({ type: String, example: 'label:team' })
  by: string;

  @ApiProperty({
    type: 'integer',
    description: 'Number of all groups, including those beyond the maximum.',
    example: 7,
  })
  total: number;

  @ApiProperty({ type: [AgentGroupResponse], maxItems: MAXIMUM_GROUPS })
  groups: AgentGroupResponse[];
}

export function toAgentGroupsResponse(by: string, { total, groups }: AgentGroups): AgentGroupsResponse {
  return { by, total, groups: groups.map(({ value, agents, unhealthy }) => ({ value, agents, unhealthy })) };
}
