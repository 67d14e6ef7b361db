import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Allow, IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { WholeNumberInBody } from '../../http/number-between.js';
import { IdPrefix } from '../../http/id-prefix.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import { QueryBoolean } from '../../http/query-boolean.js';
import { Moment } from '../../http/time-range.js';
import {
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
  type Replacement,
  REPLACEMENTS,
} from '../../lifecycle/deployment-lifecycle.js';

class IgnoredReplicas {
  @ApiProperty({
    required: false,
    type: 'integer',
    description: 'Accepted and ignored: a new deployment starts with 1 replica.',
  })
  @Allow()
  replicas?: unknown;
}

/** The body of `POST /agents/{agent_id}/deploy`; none is needed. */
export class DeployAgentRequest extends IgnoredReplicas {
  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: 1,
    maximum: 2_147_483_647,
    description: "A version of the agent's config; default: the newest.",
    example: 2,
  })
  @IsOptional()
  @WholeNumberInBody({ min: 1, max: 2_147_483_647 })
  config_version?: number;

  @ApiProperty({
    required: false,
    enum: REPLACEMENTS,
    default: 'none',
    description:
      "`active`: the agent's other active deployments are stopped once this one is ready, and left alone if it fails.",
  })
  @IsOptional()
  @IsIn(REPLACEMENTS)
  replaces?: Replacement;
}

export class CreateDeploymentRequest extends IgnoredReplicas {
  @ApiProperty({
    format: 'uuid',
    description: "An agent of the caller's.",
    example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  @IsUUID('loose')
  agent_id: string;
}

export class ScaleDeploymentRequest {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'How many are wanted; at most `MAX_REPLICAS` of the service (100 by default).',
    example: 3,
  })
  @WholeNumberInBody({ min: 0 })
  replicas: number;
}

export class ListDeploymentsQuery extends ResourcePageQuery {
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @Type(() => String)
  @IsUUID('loose')
  agent_id?: string;

  @ApiProperty({ required: false, enum: DEPLOYMENT_STATUSES })
  @IsOptional()
  @IsIn(DEPLOYMENT_STATUSES)
  status?: DeploymentStatus;

  @ApiProperty({ required: false, description: 'Deploying, running or ready; or none of these.' })
  @IsOptional()
  @QueryBoolean()
  active?: boolean;

  @ApiProperty({ required: false, maxLength: 200, description: "Part of the agent's name, in any case." })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  q?: string;

  @Moment('Only those that were created at this time or later.')
  since?: Date;

  @Moment('Only those that were created before this time.')
  until?: Date;

  @Moment('Only those that failed at this time or later, also if they were started again.')
  failed_since?: Date;

  @ApiProperty({
    required: false,
    description: 'With a command that nobody has answered for longer than a minute; or without one.',
  })
  @IsOptional()
  @QueryBoolean()
  waiting?: boolean;

  @IdPrefix()
  id_prefix?: string;
}
