import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A key under which secrets in the database are sealed. Its id is derived from it; the key itself is never stored. */
@Entity('sealing_keys')
@Index('sealing_keys_is_in_use_key', ['isInUse'], { unique: true, where: 'is_in_use' })
export class SealingKeyEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sealing_keys_pkey' })
  id: string;

  /** Every instance seals under this one. The others are left over from a resealing that has not ended. */
  @Column('boolean', { name: 'is_in_use' })
  isInUse: boolean;
}
