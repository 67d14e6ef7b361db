import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/row-values.js';

/** A row is an open session; ending a session deletes its row. */
@Entity('sessions')
@Index('sessions_user_id_id_idx', ['userId', 'id'])
@Index('sessions_expires_at_idx', ['expiresAt'])
export class SessionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sessions_pkey' })
  id: string;

  @ForeignKey('UserEntity', { name: 'sessions_user_id_fkey', onDelete: 'CASCADE' })
  @Column('uuid', { name: 'user_id' })
  userId: string;

  /** Number of the next valid refresh token; the token contains it. */
  @Column('integer', { default: 1 })
  generation: number;

  /** IP address of the last login or refresh. */
  @Column('text', { nullable: true })
  address: string | null;

  /** `User-Agent` of the login. */
  @Column('text', { name: 'user_agent', nullable: true })
  userAgent: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  /** Time of the last rotation: of the login or the last refresh. */
  @TimestampColumn({ name: 'last_used_at', default: () => 'now()' })
  lastUsedAt: string;

  /**
   * Time at which its person last proved who they are: by the login or by a step-up, with a second factor where the account
   * has one. Null: never since the account has its first factor, or single sign-on began the session.
   */
  @TimestampColumn({ name: 'proven_at', nullable: true })
  provenAt: string | null;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: string;

  /** Asks the identity provider for the person's groups, encrypted and bound to the session; null: nothing does. */
  @Column('text', { name: 'provider_grant', nullable: true, select: false })
  providerGrant: string | null;

  /**
   * Claims of the identity provider about the sign-in, such as `acr:gold` and `amr:otp`; null: a password opened
   * the session, or an older version.
   */
  @Column('text', { name: 'sign_in_proof', array: true, nullable: true, select: false })
  signInProof: readonly string[] | null;

  /** Time at which a refresh took the grant, until it is returned. */
  @TimestampColumn({ name: 'provider_asked_at', nullable: true })
  providerAskedAt: string | null;
}
