import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class ServiceDescription {
  @ApiProperty({ example: 'agent-control-plane' })
  name: string;

  @ApiProperty({ example: '1.0.0' })
  version: string;

  @ApiProperty({ format: 'uri-reference', example: 'http://127.0.0.1:8000/docs' })
  documentation_url: string;

  @ApiProperty({ format: 'uri-reference', example: 'http://127.0.0.1:8000/openapi.json' })
  openapi_url: string;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'uri',
    description: "The dashboard's address. Null: in production, if `WEB_PUBLIC_URL` is not set.",
    example: 'http://127.0.0.1:3000',
  })
  web_url: string | null;
}

const databaseStates = ['ready', 'unavailable', 'initializing'] as const;

export class HealthResponse {
  @ApiProperty({ enum: ['healthy', 'degraded'], enumName: 'ServiceHealth' })
  status: 'healthy' | 'degraded';

  @ApiProperty({ type: String, format: 'date-time' })
  timestamp: string;

  @ApiProperty({ example: '1.0.0' })
  version: string;

  @ApiProperty({ description: 'Seconds since this process started.', example: 86.4 })
  uptime_seconds: number;

  @ApiProperty({ enum: databaseStates, enumName: 'DatabaseState' })
  database: (typeof databaseStates)[number];
}

export class ReadyResponse {
  @ApiProperty({ enum: ['ready'] })
  status: 'ready';

  @ApiProperty({ enum: ['ready'] })
  database: 'ready';

  @ApiPropertyOptional({
    enum: databaseStates,
    enumName: 'DatabaseState',
    description:
      'The database of logs, metrics and spans, if it is a separate one. While it is down, only requests for them ' +
      'fail.',
  })
  telemetry_database?: (typeof databaseStates)[number];

  @ApiProperty({ type: String, format: 'date-time' })
  timestamp: string;

  @ApiProperty({ example: '1.0.0' })
  version: string;
}

export class NotReadyResponse {
  @ApiProperty({ enum: ['not_ready'] })
  status: 'not_ready';

  @ApiProperty({ enum: databaseStates, enumName: 'DatabaseState' })
  database: (typeof databaseStates)[number];

  @ApiProperty({ description: 'Why.', example: 'The database is unavailable' })
  error: string;
}
