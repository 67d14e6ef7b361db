import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { WholeNumberInBody } from '../../http/number-between.js';

/** None is needed. */
export class RotateApiKeyRequest {
  @ApiProperty({
    required: false,
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 86_400,
    description: 'For how many seconds the old key still works beside the new one.',
    example: 3_600,
  })
  @IsOptional()
  @WholeNumberInBody({ min: 0, max: 86_400 })
  grace_period_seconds?: number;
}
