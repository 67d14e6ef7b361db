import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** Somebody who would like to be written to. One address may ask more than once. */
@Entity('leads')
export class LeadEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'leads_pkey' })
  id: string;

  @Column('text')
  email: string;

  @Column('text', { nullable: true })
  name: string | null;

  @Column('text', { nullable: true })
  company: string | null;

  @Column('text', { nullable: true })
  message: string | null;

  /** Where it came from, in the caller's own words. */
  @Column('text', { nullable: true })
  source: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
