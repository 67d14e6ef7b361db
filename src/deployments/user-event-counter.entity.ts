import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** How many lifecycle events a user has had. Whoever raises it holds its row until the commit. */
@Entity('user_event_counters')
export class UserEventCounterEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_event_counters_pkey' })
  @ForeignKey('UserEntity', { name: 'user_event_counters_user_id_fkey' })
  userId: string;

  @Column('bigint', { name: 'last_sequence' })
  lastSequence: number;
}
