import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { TwoApproversFor } from './two-approvers.js';

/** A project. Each account has a personal one, with the account's id. */
@Entity('projects')
@Index('projects_created_by_idx', ['createdBy'], { where: 'NOT is_personal AND deleted_at IS NULL' })
@Index('projects_deleted_at_idx', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
@Check('projects_two_approvers_for_check', "two_approvers_for IN ('high')")
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

  /** The risk of an action that two people have to approve; null: one is always enough. */
  @Column('text', { name: 'two_approvers_for', nullable: true })
  twoApproversFor: TwoApproversFor | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'updated_at', default: () => 'now()' })
  updatedAt: string;

  /** Set: it is gone for everybody, and its remains are being deleted. */
  @TimestampColumn({ name: 'deleted_at', nullable: true })
  deletedAt: string | null;

  /** End of the last pass that erased the person of a deleted account from the audit log; null for other projects. */
  @TimestampColumn({ name: 'erased_at', nullable: true })
  erasedAt: string | null;
}
