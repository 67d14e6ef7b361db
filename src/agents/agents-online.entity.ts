import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

const PRIMARY_KEY = 'agents_online_hourly_pkey';

/** The fewest agents of a project that were online at once within an hour, as the rounds have seen them. Kept for two days. */
@Entity('agents_online_hourly')
@Index('agents_online_hourly_hour_idx', ['hour'])
export class AgentsOnlineEntity {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: PRIMARY_KEY })
  projectId: string;

  @TimestampColumn({ primary: true, primaryKeyConstraintName: PRIMARY_KEY })
  hour: string;

  @Column('integer')
  online: number;
}
