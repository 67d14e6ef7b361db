import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/**
 * The last number that a lifecycle event of a project has. A transaction that gives numbers locks its row until the
 * commit.
 */
@Entity('user_event_counters')
export class ProjectEventCounterEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_event_counters_pkey' })
  @ForeignKey('ProjectEntity', { name: 'user_event_counters_project_fkey', onDelete: 'CASCADE' })
  projectId: string;

  @Column('bigint', { name: 'last_sequence' })
  lastSequence: number;
}
