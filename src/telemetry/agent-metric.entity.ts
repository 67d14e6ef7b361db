import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/timestamp-text.js';

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

  @Column('double precision', { name: 'cpu_usage', nullable: true })
  cpuUsage: number | null;

  @Column('double precision', { name: 'memory_usage', nullable: true })
  memoryUsage: number | null;

  @Column('double precision', { name: 'uptime_seconds', nullable: true })
  uptimeSeconds: number | null;

  /** The driver hands a bigint over as text. */
  @Column('bigint', { name: 'requests_processed', nullable: true })
  requestsProcessed: string | null;

  @Column('bigint', { name: 'errors_count', nullable: true })
  errorsCount: string | null;

  @Column('jsonb', { nullable: true })
  custom: Record<string, unknown> | null;
}
