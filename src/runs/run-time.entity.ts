import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

const HOURLY_KEY = 'run_time_hourly_pkey';
const DAILY_KEY = 'run_time_daily_pkey';

/** The time that an agent's runs took within an hour. The row outlives the agent, and stays with the project that it was in. */
@Entity('run_time_hourly')
@Index('run_time_hourly_agent_id_hour_idx', ['agentId', 'hour'])
@Index('run_time_hourly_hour_idx', ['hour'])
export class HourlyRunTimeEntity {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: HOURLY_KEY })
  projectId: string;

  @TimestampColumn({ primary: true, primaryKeyConstraintName: HOURLY_KEY })
  hour: string;

  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: HOURLY_KEY })
  agentId: string;

  @Column('bigint', { name: 'run_ms' })
  runMs: number;
}

/** The sum of {@link HourlyRunTimeEntity} over a day, in UTC. */
@Entity('run_time_daily')
@Index('run_time_daily_agent_id_day_idx', ['agentId', 'day'])
@Index('run_time_daily_day_idx', ['day'])
export class DailyRunTimeEntity {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: DAILY_KEY })
  projectId: string;

  @PrimaryColumn('date', { primaryKeyConstraintName: DAILY_KEY })
  day: string;

  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: DAILY_KEY })
  agentId: string;

  @Column('bigint', { name: 'run_ms' })
  runMs: number;
}
