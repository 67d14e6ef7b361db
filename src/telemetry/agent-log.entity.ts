import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { LogLevel } from './log-level.js';

/**
 * Condition for severe entries. They are the usual target of searches after a failure, and a small part of all entries.
 */
const IS_SEVERE = "level IN ('warning', 'error', 'critical')";

const PRIMARY_KEY = 'agent_logs_pkey';

/** A line that an agent wrote. The table is partitioned by day; see `telemetry-partitions.ts`. */
@Entity('agent_logs')
@Index('agent_logs_agent_id_position_idx', ['agentId', 'position'])
@Index('agent_logs_agent_id_transaction_id_idx', ['agentId', 'transactionId'])
@Index('agent_logs_deployment_id_idx', ['deploymentId', 'timestamp', 'id'])
@Index('agent_logs_run_id_idx', ['runId', 'timestamp', 'id'], { where: 'run_id IS NOT NULL' })
@Index('agent_logs_severe_idx', ['agentId', 'timestamp', 'id'], { where: IS_SEVERE })
@Index('agent_logs_deployment_id_severe_idx', ['deploymentId', 'timestamp', 'id'], { where: IS_SEVERE })
export class AgentLogEntity {
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

  @Column('text')
  level: LogLevel;

  @Column('text')
  message: string;

  @Column('jsonb', { nullable: true })
  metadata: Record<string, unknown> | null;

  /**
   * The number of the line among those of its agent, in the order of their commits; see `log-position.ts`. 0: a line of a
   * version that gave no numbers; nobody follows it.
   */
  @Column('bigint', { default: 0, select: false })
  position: number;

  /** The transaction that wrote the line. Only the version before reads it. */
  @Column('bigint', { name: 'transaction_id', default: () => 'current_transaction_id()', select: false })
  transactionId: number;
}
