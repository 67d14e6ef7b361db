import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/row-values.js';

/** A second factor of a person: an authenticator app with one-time codes, or a passkey. */
@Entity('second_factors')
@Index('second_factors_user_id_id_idx', ['userId', 'id'])
@Index('second_factors_expires_at_idx', ['expiresAt'])
@Index('second_factors_credential_id_key', ['credentialId'], { unique: true })
@Check(
  'second_factors_kind_check',
  `CASE kind
    WHEN 'totp' THEN secret IS NOT NULL AND credential_id IS NULL
    WHEN 'passkey' THEN secret IS NULL AND credential_id IS NOT NULL AND public_key IS NOT NULL
      AND counter IS NOT NULL AND expires_at IS NULL
    ELSE false END`,
)
export class SecondFactorEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'second_factors_pkey' })
  id: string;

  @ForeignKey('UserEntity', { name: 'second_factors_user_id_fkey', onDelete: 'CASCADE' })
  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('text')
  kind: 'totp' | 'passkey';

  @Column('text')
  name: string;

  /** The secret of one-time codes, encrypted and bound to the factor; null for a passkey. */
  @Column('text', { nullable: true, select: false })
  secret: string | null;

  /** Step of the newest code that was used: it and all before it are refused from then on. */
  @Column('bigint', { name: 'last_step', nullable: true, select: false })
  lastStep: number | null;

  @Column('text', { name: 'credential_id', nullable: true, select: false })
  credentialId: string | null;

  /** A COSE key in base64url. */
  @Column('text', { name: 'public_key', nullable: true, select: false })
  publicKey: string | null;

  /** The authenticator's own count of its signatures; 0 if it does not count. */
  @Column('bigint', { nullable: true, select: false })
  counter: number | null;

  /** How browsers reach the authenticator, as it was said when it was added. */
  @Column('text', { array: true, nullable: true, select: false })
  transports: string[] | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'last_used_at', nullable: true })
  lastUsedAt: string | null;

  /** Null once it is confirmed: only then it counts. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: string | null;
}
