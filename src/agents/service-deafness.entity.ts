import { Check, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/**
 * Last time at which the service was "deaf": it refused calls of runtimes that it could not identify. The time counts
 * as a call of every agent, so that none is declared lost because of a refusal. One row for all instances.
 */
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
  @TimestampColumn({ name: 'deaf_at' })
  deafAt: string;
}
