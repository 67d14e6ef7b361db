import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { LabelFilter } from '../../http/label-filter.js';
import { IdPrefix } from '../../http/id-prefix.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH_STATES,
  type HealthState,
} from '../../lifecycle/agent-health.js';
import { AGENT_STATUSES, type AgentStatus } from '../../lifecycle/agent-lifecycle.js';
import { AGENT_SORTS, type AgentSort } from '../agent.types.js';

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

  @ApiProperty({
    required: false,
    maxLength: 200,
    description: 'Part of the name, the description, the type or the host, in any case.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  q?: string;

  @IdPrefix()
  id_prefix?: string;

  @ApiProperty({ required: false, maxLength: 64 })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  type?: string;

  @LabelFilter()
  label?: string[];

  @ApiProperty({
    required: false,
    enum: AGENT_SORTS,
    default: '-created',
    description: 'With `-` descending. Agents without a heartbeat come last.',
  })
  @IsOptional()
  @IsIn(AGENT_SORTS)
  sort?: AgentSort;
}
