import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/**
 * The usage of an agent by the spans of a group, until it is counted in the main database. The transaction that stores the spans
 * inserts it: without it, usage would be lost with a process that ends between the two databases.
 */
@Entity('uncounted_usage')
@Index('uncounted_usage_created_at_idx', ['createdAt'])
export class UncountedUsageEntity {
  /** The zero id for what the version before has stored. */
  @PrimaryColumn('uuid', {
    name: 'agent_id',
    default: '00000000-0000-0000-0000-000000000000',
    primaryKeyConstraintName: 'uncounted_usage_pkey',
  })
  agentId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'uncounted_usage_pkey' })
  id: string;

  @Column('jsonb')
  told: unknown;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
