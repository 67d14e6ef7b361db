import { ApiProperty } from '@nestjs/swagger';
import type { StoredMetric } from '../telemetry.types.js';
import { ApiRecordTime, TelemetryRecord } from './telemetry-record.js';

/** `cpu_usage` and `memory_usage` are stored unchanged; the agent decides their units. */
export class MetricRecord extends TelemetryRecord {
  @ApiProperty({ type: 'number', format: 'double', nullable: true, example: 12.5 })
  cpu_usage: number | null;

  @ApiProperty({ type: 'number', format: 'double', nullable: true, example: 48.2 })
  memory_usage: number | null;

  @ApiProperty({ type: 'number', format: 'double', nullable: true, example: 86_400 })
  uptime_seconds: number | null;

  @ApiProperty({ type: 'integer', format: 'int64', nullable: true, example: 1_204 })
  requests_processed: number | null;

  @ApiProperty({ type: 'integer', format: 'int64', nullable: true, example: 3 })
  errors_count: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: "The agent's own measurements, as it sent them.",
    example: { queue_length: 7 },
  })
  custom: Record<string, unknown> | null;

  @ApiRecordTime()
  timestamp: string;
}

export function toMetricRecord(metric: StoredMetric): MetricRecord {
  return {
    id: metric.id,
    agent_id: metric.agentId,
    deployment_id: metric.deploymentId,
    run_id: metric.runId,
    cpu_usage: metric.cpuUsage,
    memory_usage: metric.memoryUsage,
    uptime_seconds: metric.uptimeSeconds,
    requests_processed: metric.requestsProcessed,
    errors_count: metric.errorsCount,
    custom: metric.custom,
    timestamp: metric.timestamp,
  };
}
