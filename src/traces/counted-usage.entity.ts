import { Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/**
 * A group of spans whose usage was counted, while the database of telemetry keeps their usage. The transaction that
 * counts inserts it, so a group is counted once.
 */
@Entity('counted_usage')
export class CountedUsageEntity {
  /** The id in `uncounted_usage`, in the database of telemetry. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'counted_usage_pkey' })
  id: string;

  @TimestampColumn({ name: 'counted_at', default: () => 'now()' })
  countedAt: string;
}
