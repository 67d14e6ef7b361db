import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

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
  @IsInt()
  @Min(0)
  @Max(86_400)
  grace_period_seconds?: number;
}
