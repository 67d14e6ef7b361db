import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/**
 * A link of the chain of the audit log. Functions of the database write and delete the links. No foreign key, because a link
 * stays a day longer than its entry.
 */
@Entity('audit_chain')
@Unique('audit_chain_entry_id_key', ['entryId'])
export class AuditLinkEntity {
  /** The day on which the entry was linked, by UTC. */
  @PrimaryColumn('date', { primaryKeyConstraintName: 'audit_chain_pkey' })
  day: string;

  /** Counts the links of the day, from 1. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'audit_chain_pkey' })
  number: number;

  @Column('uuid', { name: 'entry_id' })
  entryId: string;

  /** SHA-256 of the hash of the link before and of the entry. */
  @Column('bytea')
  hash: Buffer;
}
