import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/row-values.js';

/** A code for people who have lost their factors. Its use deletes it. */
@Entity('recovery_codes')
export class RecoveryCodeEntity {
  @ForeignKey('UserEntity', { name: 'recovery_codes_user_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'recovery_codes_pkey' })
  userId: string;

  /** SHA-256 of the code, which is random and long enough for it; the code itself is not stored. */
  @PrimaryColumn('bytea', { name: 'code_hash', primaryKeyConstraintName: 'recovery_codes_pkey' })
  codeHash: Buffer;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
