import { ApiProperty } from '@nestjs/swagger';
import {
  PROJECT_LIMIT_KINDS,
  type ProjectLimit,
  type ProjectLimitKind,
} from '../quotas/project-limit.types.js';

export class ProjectLimitResponse {
  @ApiProperty({
    enum: PROJECT_LIMIT_KINDS,
    enumName: 'ProjectLimitKind',
    description: 'The limited resource: a number, an amount per day, or a retention period in days.',
  })
  kind: ProjectLimitKind;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    nullable: true,
    description: 'The effective limit. Null: unlimited.',
    example: 53_687_091_200,
  })
  limit: number | null;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    nullable: true,
    description: "The project's own limit. Null: the installation's applies.",
    example: null,
  })
  own_limit: number | null;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    nullable: true,
    description:
      "What the project uses; bytes and config versions are today's (UTC), up to five minutes old. Null: not " +
      'counted, because it is unlimited, a retention period, or per agent.',
    example: 52_428_800,
  })
  used: number | null;
}

export class ProjectLimitsResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11' })
  project_id: string;

  @ApiProperty({ type: [ProjectLimitResponse] })
  limits: ProjectLimitResponse[];
}

export function toProjectLimitsResponse(
  projectId: string,
  limits: readonly ProjectLimit[],
): ProjectLimitsResponse {
  return {
    project_id: projectId,
    limits: limits.map(({ kind, limit, ownLimit, used }) => ({ kind, limit, own_limit: ownLimit, used })),
  };
}
