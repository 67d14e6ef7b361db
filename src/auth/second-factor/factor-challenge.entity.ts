import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/row-values.js';
import type { CHALLENGE_PURPOSES } from './second-factor.types.js';

/** A question for a second factor that waits for its answer. The answer deletes it. */
@Entity('factor_challenges')
@Index('factor_challenges_user_id_idx', ['userId'])
@Index('factor_challenges_session_id_purpose_key', ['sessionId', 'purpose'], { unique: true })
@Index('factor_challenges_expires_at_idx', ['expiresAt'])
@Check('factor_challenges_purpose_check', `purpose IN ('login', 'step_up', 'enrolment')`)
@Check('factor_challenges_session_id_check', `(purpose = 'login') = (session_id IS NULL)`)
export class FactorChallengeEntity {
  /** SHA-256 of the token; the token itself is not stored. */
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'factor_challenges_pkey' })
  tokenHash: Buffer;

  @ForeignKey('UserEntity', { name: 'factor_challenges_user_id_fkey', onDelete: 'CASCADE' })
  @Column('uuid', { name: 'user_id' })
  userId: string;

  /** The session that asks; null: a login, which has none yet. */
  @ForeignKey('SessionEntity', { name: 'factor_challenges_session_id_fkey', onDelete: 'CASCADE' })
  @Column('uuid', { name: 'session_id', nullable: true })
  sessionId: string | null;

  @Column('text')
  purpose: (typeof CHALLENGE_PURPOSES)[number];

  /** The challenge that a passkey has to sign. */
  @Column('text', { select: false })
  challenge: string;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: string;
}
