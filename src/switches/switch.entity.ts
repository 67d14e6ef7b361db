import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { SwitchName } from './switch.types.js';

/** A switch of the whole service that an operator has turned on. */
@Entity('service_switches')
export class SwitchEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'service_switches_pkey' })
  name: SwitchName;

  @Column('text')
  value: string;

  /** The switch is off from this time on; null: it has no end. */
  @TimestampColumn({ name: 'ends_at', nullable: true })
  endsAt: string | null;

  @Column('text', { name: 'set_by' })
  setBy: string;

  @TimestampColumn({ name: 'set_at', default: () => 'now()' })
  setAt: string;
}
