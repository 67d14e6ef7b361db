import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { QuotaKind } from './quota.types.js';

const PRIMARY_KEY = 'quota_uses_pkey';

/** The use of a limit by an agent or a project on a day, summed over all instances. */
@Entity('quota_uses')
@Index('quota_uses_day_idx', ['day'])
@Index('quota_uses_exceeded_project_id_day_idx', ['projectId', 'day'], { where: 'exceeded_at IS NOT NULL' })
@Index('quota_uses_exceeded_at_idx', ['exceededAt'], { where: 'exceeded_at IS NOT NULL' })
export class QuotaUseEntity {
  /** The id of the agent, or of the project. */
  @PrimaryColumn('uuid', { name: 'subject_id', primaryKeyConstraintName: PRIMARY_KEY })
  subjectId: string;

  /** In UTC, by the database's clock. */
  @PrimaryColumn('date', { primaryKeyConstraintName: PRIMARY_KEY })
  day: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: PRIMARY_KEY })
  kind: QuotaKind;

  /** The project itself, or the one that owned the agent at the last addition. */
  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('bigint')
  amount: number;

  /** The limit at the last addition. */
  @Column('bigint')
  maximum: number;

  /** When the limit was reached for the first time on this day; null: it was not. */
  @TimestampColumn({ name: 'exceeded_at', nullable: true })
  exceededAt: string | null;
}
