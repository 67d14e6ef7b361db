import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('users')
@Index('users_email_key', { synchronize: false })
export class UserEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'users_pkey' })
  id: string;

  /** As the person typed it; unique without regard to case. */
  @Column('text')
  email: string;

  @Column('text', { name: 'password_hash' })
  passwordHash: string;

  @Column('text', { nullable: true })
  name: string | null;

  @Column('boolean', { name: 'is_active', default: true })
  isActive: boolean;

  /** An operator. */
  @Column('boolean', { name: 'is_admin', default: false })
  isAdmin: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt: Date;
}
