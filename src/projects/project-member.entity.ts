import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { type Role, ROLES } from '../access/roles.js';
import { TimestampColumn } from '../database/row-values.js';

/** How a person became a member: by hand, or by a group of the identity provider. */
export const MEMBERSHIP_SOURCES = ['direct', 'group'] as const;
export type MembershipSource = (typeof MEMBERSHIP_SOURCES)[number];

const listOf = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

/** A membership. A person who is a member directly and by groups has two; the higher role counts. */
@Entity('project_members')
@Check('project_members_source_check', `source IN (${listOf(MEMBERSHIP_SOURCES)})`)
@Check('project_members_role_check', `role IN (${listOf(ROLES)})`)
@Check(
  'project_members_group_check',
  `(source = 'group') = (group_name IS NOT NULL) AND (source = 'group') = (expires_at IS NOT NULL)`,
)
@Index('project_members_project_id_user_id_idx', ['projectId', 'userId'])
@Index('project_members_expires_at_idx', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
export class ProjectMemberEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'project_members_pkey' })
  @ForeignKey('UserEntity', { name: 'project_members_user_id_fkey', onDelete: 'CASCADE' })
  userId: string;

  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: 'project_members_pkey' })
  @ForeignKey('ProjectEntity', { name: 'project_members_project_id_fkey', onDelete: 'CASCADE' })
  projectId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'project_members_pkey' })
  source: MembershipSource;

  @Column('text')
  role: Role;

  /** The account that added the member; null: the identity provider. */
  @Column('uuid', { name: 'added_by', nullable: true })
  addedBy: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  /** The group that gives the role; null: a person gave it directly. */
  @Column('text', { name: 'group_name', nullable: true })
  groupName: string | null;

  /** End of a membership by a group, unless the identity provider confirms it before; null: a direct one has none. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: string | null;
}
