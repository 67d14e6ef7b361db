import { ApiProperty } from '@nestjs/swagger';
import type { StoredMetric } from '../telemetry.types.js';

/** `cpu_usage` and `memory_usage` are kept as they come: in which unit they are measured is the agent's affair. */
export class MetricRecord {
  @ApiProperty({ format: 'uuid', example: '0192f0c4-2b1d-7c55-b1c7-7d0f2f6c8e91' })
  id: string;

  @ApiProperty({ format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null: it could not be told.',
    example: '0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5',
  })
  deployment_id: string | null;

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

  @ApiProperty({
    format: 'date-time',
    description: "The agent's time; the service's where the agent gave none, or one in the future.",
    example: '2026-01-31T09:30:00.000Z',
  })
  timestamp: string;
}

export function toMetricRecord(metric: StoredMetric): MetricRecord {
  return {
    id: metric.id,
    agent_id: metric.agentId,
    deployment_id: metric.deploymentId,
    cpu_usage: metric.cpuUsage,
    memory_usage: metric.memoryUsage,
    uptime_seconds: metric.uptimeSeconds,
    requests_processed: metric.requestsProcessed,
    errors_count: metric.errorsCount,
    custom: metric.custom,
    timestamp: metric.timestamp,
  };
}
