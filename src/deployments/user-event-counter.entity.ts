import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The number of lifecycle events of a user. A transaction that raises it locks its row until the commit. */
@Entity('user_event_counters')
export class UserEventCounterEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_event_counters_pkey' })
  @ForeignKey('UserEntity', { name: 'user_event_counters_user_id_fkey' })
  userId: string;

  @Column('bigint', { name: 'last_sequence' })
  lastSequence: number;
}
