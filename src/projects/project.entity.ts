import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** A project. Each account has a personal one, with the account's id. */
@Entity('projects')
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
}
