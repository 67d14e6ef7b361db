import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { type Role, ROLES } from '../access/roles.js';
import { TimestampColumn } from '../database/row-values.js';

/** How somebody became a member: by hand, or by a group of the identity provider. */
export const MEMBERSHIP_SOURCES = ['direct', 'group'] as const;
export type MembershipSource = (typeof MEMBERSHIP_SOURCES)[number];

const listOf = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

/** A membership. Somebody who is a member directly and by groups has two; the higher role counts. */
@Entity('project_members')
@Check('project_members_source_check', `source IN (${listOf(MEMBERSHIP_SOURCES)})`)
@Check('project_members_role_check', `role IN (${listOf(ROLES)})`)
@Index('project_members_project_id_user_id_idx', ['projectId', 'userId'])
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
}
