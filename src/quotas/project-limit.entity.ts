import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { ProjectLimitKind } from './project-limit.types.js';

const PRIMARY_KEY = 'project_limits_pkey';

/** A limit of one project, in place of that of the installation. */
@Entity('project_limits')
@Check('project_limits_maximum_check', 'maximum >= 1')
@Index('project_limits_changed_at_idx', ['changedAt'])
export class ProjectLimitEntity {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey('ProjectEntity', { name: 'project_limits_project_id_fkey', onDelete: 'CASCADE' })
  projectId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: PRIMARY_KEY })
  kind: ProjectLimitKind;

  /** Null: the limit was taken away, which instances learn from this row. */
  @Column('bigint', { nullable: true })
  maximum: number | null;

  @TimestampColumn({ name: 'changed_at' })
  changedAt: string;
}
