import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { type Role, ROLES } from '../access/roles.js';

/** A group of the identity provider whose people have a role in a project. */
@Entity('project_groups')
@Check('project_groups_role_check', `role IN (${ROLES.map((role) => `'${role}'`).join(', ')})`)
@Index('project_groups_group_name_idx', ['groupName'])
export class ProjectGroupEntity {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: 'project_groups_pkey' })
  @ForeignKey('ProjectEntity', { name: 'project_groups_project_id_fkey', onDelete: 'CASCADE' })
  projectId: string;

  @PrimaryColumn('text', { name: 'group_name', primaryKeyConstraintName: 'project_groups_pkey' })
  groupName: string;

  @Column('text')
  role: Role;
}
