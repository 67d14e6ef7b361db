import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** An account of a person, who may be an operator. */
@Entity('users')
@Index('users_email_key', ['email'], { unique: true })
export class UserEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'users_pkey' })
  id: string;

  /** The email in its canonical form. */
  @Column('text')
  email: string;

  /** A bcrypt hash; null until an invited person has set a password. */
  @Column('text', { name: 'password_hash', select: false, nullable: true })
  passwordHash: string | null;

  @Column('text', { nullable: true })
  name: string | null;

  @Column('boolean', { name: 'is_active', default: true })
  isActive: boolean;

  /** True for an operator. */
  @Column('boolean', { name: 'is_admin', default: false })
  isAdmin: boolean;

  /** Time at which an operator made a link to set the password; null: none since the person changed it. */
  @TimestampColumn({ name: 'password_reset_at', nullable: true })
  passwordResetAt: string | null;

  /** True while it has a confirmed second factor, so that none of its requests has to look for one. */
  @Column('boolean', { name: 'has_second_factor', default: false })
  hasSecondFactor: boolean;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'updated_at', default: () => 'now()' })
  updatedAt: string;
}
