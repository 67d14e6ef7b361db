import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { HistoryPageQuery } from '../../http/page-query.js';
import { Since, Until } from '../../http/time-range.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../../lifecycle/deployment-lifecycle.js';

export class ListEventsQuery extends HistoryPageQuery {
  @ApiProperty({ required: false, maxLength: 64, description: 'Only events of this type.', example: 'scale' })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  event_type?: string;

  @ApiProperty({
    required: false,
    enum: DEPLOYMENT_STATUSES,
    description: 'Only events that led to this status.',
  })
  @IsOptional()
  @IsIn(DEPLOYMENT_STATUSES)
  status?: DeploymentStatus;

  @Since()
  since?: Date;

  @Until()
  until?: Date;
}
