import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

@Entity('users')
@Index('users_email_key', { synchronize: false })
export class UserEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'users_pkey' })
  id: string;

  /** As the person typed it; unique without regard to case. */
  @Column('text')
  email: string;

  @Column('text', { name: 'password_hash', select: false })
  passwordHash: string;

  @Column('text', { nullable: true })
  name: string | null;

  @Column('boolean', { name: 'is_active', default: true })
  isActive: boolean;

  /** An operator. */
  @Column('boolean', { name: 'is_admin', default: false })
  isAdmin: boolean;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'updated_at', default: () => 'now()' })
  updatedAt: string;
}
