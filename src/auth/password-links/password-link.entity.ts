import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/row-values.js';

/** A one-time link to set the password of an account. */
@Entity('password_links')
@Index('password_links_token_hash_key', ['tokenHash'], { unique: true })
@Index('password_links_expires_at_idx', ['expiresAt'])
export class PasswordLinkEntity {
  @ForeignKey('UserEntity', { name: 'password_links_user_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'password_links_pkey' })
  userId: string;

  /** SHA-256 of the token; the token itself is not stored. */
  @Column('bytea', { name: 'token_hash', select: false })
  tokenHash: Buffer;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: string;
}
