import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Role } from '../access/roles.js';
import type { Scope } from '../access/scopes.js';
import { TimestampColumn } from '../database/row-values.js';

/** A key of a user, a project or an agent, as a hash. */
@Entity('api_keys')
@Check('api_keys_scopes_check', '(agent_id IS NULL) = (cardinality(scopes) > 0)')
@Check(
  'api_keys_role_check',
  "role IS NULL OR (role IN ('viewer', 'deployer', 'maintainer', 'owner') AND agent_id IS NULL)",
)
@Check('api_keys_everybody_check', 'NOT everybody OR (agent_id IS NULL AND role IS NULL)')
@Index('api_keys_user_id_id_idx', ['projectId', 'id'])
@Index('api_keys_user_id_idx', ['projectId', 'id'], { where: 'agent_id IS NULL' })
@Index('api_keys_agent_id_idx', ['agentId'])
@Index('api_keys_end_idx', { synchronize: false })
export class ApiKeyEntity {
  /** Also the identifier inside the key itself. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_keys_pkey' })
  id: string;

  /** The project that owns the key, or its agent; for a person's own key, the personal one. */
  @Column('uuid', { name: 'user_id' })
  @ForeignKey('ProjectEntity', { name: 'api_keys_project_fkey', onDelete: 'CASCADE' })
  projectId: string;

  /** The account, or the project's key, that made it; null: made by a version without projects, by the personal project's account. */
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy: string | null;

  /** The agent of a runtime's key; null for any other key. */
  @Column('uuid', { name: 'agent_id', nullable: true })
  @ForeignKey('AgentEntity', { name: 'api_keys_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string | null;

  @Column('text')
  name: string;

  /** The first characters of the key, by which its owner distinguishes it from others. */
  @Column('text', { name: 'key_prefix' })
  keyPrefix: string;

  /** The role of a project's own key, which acts in that project alone; null for any other key. */
  @Column('text', { nullable: true })
  role: Role | null;

  /** Rights of a user key; empty for an agent's key. */
  @Column('text', { array: true, default: '{}' })
  scopes: Scope[];

  /** Whether a person's key also reaches other people's resources, as long as the person is an operator. */
  @Column('boolean', { default: false })
  everybody: boolean;

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
