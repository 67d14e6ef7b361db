import { ApiProperty } from '@nestjs/swagger';
import type { PresentLevel } from './log-level.service.js';

export class LogLevelResponse {
  @ApiProperty({
    description: 'The current level: set by an operator, else `LOG_LEVEL` of the instance that replies.',
    example: 'debug',
  })
  level: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When each instance returns to its `LOG_LEVEL`. Null: no level is set.',
  })
  until: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it was set.' })
  set_at: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Who set it: `user:<id>` or `key:<id>`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  set_by: string | null;
}

export function toLogLevelResponse({ level, setting }: PresentLevel): LogLevelResponse {
  return {
    level,
    until: setting?.endsAt ?? null,
    set_at: setting?.setAt ?? null,
    set_by: setting?.setBy ?? null,
  };
}
