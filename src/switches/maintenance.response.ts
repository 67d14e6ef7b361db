import { ApiProperty } from '@nestjs/swagger';
import type { SwitchSetting } from './switch.types.js';

export class MaintenanceResponse {
  @ApiProperty({ description: "True: people's changes get a 503 with the code `maintenance`." })
  is_on: boolean;

  @ApiProperty({ type: String, nullable: true, example: 'The database moves to another machine' })
  reason: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Its end; null: until somebody ends it.',
  })
  until: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it was last set.' })
  set_at: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Who set it: `user:<id>` or `key:<id>`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  set_by: string | null;
}

export function toMaintenanceResponse(setting: SwitchSetting | null): MaintenanceResponse {
  return {
    is_on: setting !== null,
    reason: setting?.value ?? null,
    until: setting?.endsAt ?? null,
    set_at: setting?.setAt ?? null,
    set_by: setting?.setBy ?? null,
  };
}
