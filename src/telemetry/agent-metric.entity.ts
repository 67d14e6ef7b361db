import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

const PRIMARY_KEY = 'agent_metrics_pkey';

/** A sample of an agent's measurements. The table is partitioned by day; see `telemetry-partitions.ts`. */
@Entity('agent_metrics')
@Index('agent_metrics_deployment_id_idx', ['deploymentId', 'timestamp', 'id'])
export class AgentMetricEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: PRIMARY_KEY })
  agentId: string;

  @TimestampColumn({ primary: true, primaryKeyConstraintName: PRIMARY_KEY })
  timestamp: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: PRIMARY_KEY })
  id: string;

  @Column('uuid', { name: 'deployment_id', nullable: true })
  deploymentId: string | null;

  @Column('uuid', { name: 'run_id', nullable: true })
  runId: string | null;

  @Column('double precision', { name: 'cpu_usage', nullable: true })
  cpuUsage: number | null;

  @Column('double precision', { name: 'memory_usage', nullable: true })
  memoryUsage: number | null;

  @Column('double precision', { name: 'uptime_seconds', nullable: true })
  uptimeSeconds: number | null;

  @Column('bigint', { name: 'requests_processed', nullable: true })
  requestsProcessed: number | null;

  @Column('bigint', { name: 'errors_count', nullable: true })
  errorsCount: number | null;

  @Column('jsonb', { nullable: true })
  custom: Record<string, unknown> | null;
}
