import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/row-values.js';

/** An account at an identity provider, and the account of this service to which it signs in. */
@Entity('identities')
@Index('identities_user_id_idx', ['userId'])
export class IdentityEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'identities_pkey' })
  issuer: string;

  /** The provider's identifier of the person; unlike an address it never changes and is never reassigned. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'identities_pkey' })
  subject: string;

  @ForeignKey('UserEntity', { name: 'identities_user_id_fkey', onDelete: 'CASCADE' })
  @Column('uuid', { name: 'user_id' })
  userId: string;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
