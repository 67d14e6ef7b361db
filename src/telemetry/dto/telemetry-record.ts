import { ApiProperty } from '@nestjs/swagger';

export abstract class TelemetryRecord {
  @ApiProperty({ format: 'uuid', example: '0192f0c4-2b1d-7c55-b1c7-7d0f2f6c8e90' })
  id: string;

  @ApiProperty({ format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null: unknown.',
    example: '0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5',
  })
  deployment_id: string | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The run that the agent has named.',
    example: null,
  })
  run_id: string | null;
}

export const ApiRecordTime = () =>
  ApiProperty({
    format: 'date-time',
    description: "The agent's time; the service's if the agent sent none, or one in the future.",
    example: '2026-01-31T09:30:00.000Z',
  });
