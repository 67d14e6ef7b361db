import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** A message of the contact form. One address may send several. */
@Entity('leads')
@Index('leads_email_idx', ['email'])
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

  /** The source of the lead, chosen by the caller. */
  @Column('text', { nullable: true })
  source: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
