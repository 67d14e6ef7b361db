import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The last time the service refused runtimes that it could not name: one row for all instances. */
@Entity('service_deafness')
@Check('service_deafness_is_only_row_check', 'is_only_row')
export class ServiceDeafnessEntity {
  @PrimaryColumn('boolean', {
    name: 'is_only_row',
    default: true,
    primaryKeyConstraintName: 'service_deafness_pkey',
  })
  isOnlyRow: boolean;

  /** `-infinity`: never. */
  @Column('timestamptz', { name: 'deaf_at' })
  deafAt: Date;
}
