import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { ResourcePageQuery } from '../../http/page-query.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH_STATES,
  type HealthState,
} from '../../lifecycle/agent-health.js';
import { AGENT_STATUSES, type AgentStatus } from '../../lifecycle/agent-lifecycle.js';

export class ListAgentsQuery extends ResourcePageQuery {
  @ApiProperty({
    required: false,
    format: 'uuid',
    description: "Whose agents. Another user's are an empty list, unless the caller is an operator.",
  })
  @IsOptional()
  @IsUUID('loose')
  user_id?: string;

  @ApiProperty({ required: false, enum: AGENT_STATUSES })
  @IsOptional()
  @IsIn(AGENT_STATUSES)
  status?: AgentStatus;

  @ApiProperty({ required: false, enum: HEALTH_STATES })
  @IsOptional()
  @IsIn(HEALTH_STATES)
  health?: HealthState;

  @ApiProperty({ required: false, enum: AGENT_CONNECTIONS })
  @IsOptional()
  @IsIn(AGENT_CONNECTIONS)
  connection?: AgentConnection;
}
