import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Scope } from '../access/scopes.js';
import { TimestampColumn } from '../database/row-values.js';

@Entity('api_keys')
@Check('api_keys_scopes_check', '(agent_id IS NULL) = (cardinality(scopes) > 0)')
@Index('api_keys_user_id_id_idx', ['userId', 'id'])
@Index('api_keys_user_id_idx', ['userId', 'id'], { where: 'agent_id IS NULL' })
@Index('api_keys_agent_id_idx', ['agentId'])
@Index('api_keys_end_idx', { synchronize: false })
export class ApiKeyEntity {
  /** Also the identifier inside the key itself. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_keys_pkey' })
  id: string;

  @Column('uuid', { name: 'user_id' })
  @ForeignKey('UserEntity', { name: 'api_keys_user_id_fkey' })
  userId: string;

  /** The agent of a runtime's key; null for a key of the user. */
  @Column('uuid', { name: 'agent_id', nullable: true })
  @ForeignKey('AgentEntity', { name: 'api_keys_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string | null;

  @Column('text')
  name: string;

  /** The first characters of the key, by which its owner distinguishes it from others. */
  @Column('text', { name: 'key_prefix' })
  keyPrefix: string;

  /** Rights of a user key; empty for an agent's key. */
  @Column('text', { array: true, default: '{}' })
  scopes: Scope[];

  /** SHA-256 of the secret part. */
  @Column('bytea', { name: 'secret_hash', select: false })
  secretHash: Buffer;

  /** Exact to the minute. */
  @TimestampColumn({ name: 'last_used_at', nullable: true })
  lastUsedAt: string | null;

  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: string | null;

  @TimestampColumn({ name: 'revoked_at', nullable: true })
  revokedAt: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
