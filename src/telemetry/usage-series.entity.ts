import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

const PRIMARY_KEY = 'usage_series_pkey';

/**
 * The last value of a series of usage metrics. An exporter sends totals, of which the increments are counted, and may
 * send an export again.
 */
@Entity('usage_series')
@Index('usage_series_seen_at_idx', ['seenAt'])
export class UsageSeriesEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey('AgentEntity', { name: 'usage_series_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  @PrimaryColumn('bytea', { primaryKeyConstraintName: PRIMARY_KEY })
  series: Buffer;

  /**
   * When the total began to be counted: a program that starts again begins another one. 1970: not reported, or no
   * total.
   */
  @TimestampColumn({ name: 'started_at', primary: true, primaryKeyConstraintName: PRIMARY_KEY })
  startedAt: string;

  /** Time of the last point that was counted. */
  @TimestampColumn({ name: 'last_point_at', nullable: true })
  lastPointAt: string | null;

  /** The total at that time; of a cost, in millionths of a dollar. */
  @Column('bigint', { default: 0 })
  amount: number;

  @TimestampColumn({ name: 'seen_at', default: () => 'now()' })
  seenAt: string;
}
