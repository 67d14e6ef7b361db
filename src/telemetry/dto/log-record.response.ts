import { ApiProperty } from '@nestjs/swagger';
import { LOG_LEVELS, type LogLevel } from '../log-level.js';
import type { NamedLog, StoredLog } from '../telemetry.types.js';
import { ApiRecordTime, TelemetryRecord } from './telemetry-record.js';

export class LogRecord extends TelemetryRecord {
  @ApiProperty({ enum: LOG_LEVELS, enumName: 'LogLevel', example: 'warning' })
  level: LogLevel;

  @ApiProperty({ example: 'The mailbox answers slowly' })
  message: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'As the agent sent it.',
    example: { took_ms: 2350 },
  })
  metadata: Record<string, unknown> | null;

  @ApiRecordTime()
  timestamp: string;
}

export function toLogRecord(log: StoredLog): LogRecord {
  return {
    id: log.id,
    agent_id: log.agentId,
    deployment_id: log.deploymentId,
    run_id: log.runId,
    level: log.level,
    message: log.message,
    metadata: log.metadata,
    timestamp: log.timestamp,
  };
}

export class NamedLogRecord extends LogRecord {
  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;
}

export function toNamedLogRecord(log: NamedLog): NamedLogRecord {
  return { ...toLogRecord(log), agent_name: log.agentName };
}
