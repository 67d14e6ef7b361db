import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** A project. Each account has a personal one, with the account's id. */
@Entity('projects')
@Index('projects_created_by_idx', ['createdBy'], { where: 'NOT is_personal AND deleted_at IS NULL' })
@Index('projects_deleted_at_idx', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
export class ProjectEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'projects_pkey' })
  id: string;

  @Column('text')
  name: string;

  @Column('boolean', { name: 'is_personal' })
  isPersonal: boolean;

  /** The account that made it. */
  @Column('uuid', { name: 'created_by' })
  createdBy: string;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'updated_at', default: () => 'now()' })
  updatedAt: string;

  /** Set: it is gone for everybody, and what it leaves is being deleted. */
  @TimestampColumn({ name: 'deleted_at', nullable: true })
  deletedAt: string | null;
}
