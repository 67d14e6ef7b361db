import { Check, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import { UsageColumns } from './usage-columns.entity.js';
import type { UsageSource } from './usage.types.js';

const HOURLY_KEY = 'usage_hourly_pkey';
const DAILY_KEY = 'usage_daily_pkey';
const WEEKLY_KEY = 'usage_weekly_pkey';
const PROJECT_KEY = 'project_usage_pkey';
const RUN_KEY = 'run_usage_pkey';
const SOURCES_KEY = 'usage_sources_pkey';
const IS_SOURCE = "usage_from IN ('reports', 'metrics', 'spans')";

/**
 * Usage of one model by an agent within an hour. The row outlives the agent, and stays with the project that spent
 * it.
 */
@Entity('usage_hourly')
@Index('usage_hourly_agent_id_hour_idx', ['agentId', 'hour'])
@Index('usage_hourly_hour_idx', ['hour'])
@Check('usage_hourly_usage_from_check', IS_SOURCE)
export class HourlyUsageEntity extends UsageColumns {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: HOURLY_KEY })
  projectId: string;

  @TimestampColumn({ primary: true, primaryKeyConstraintName: HOURLY_KEY })
  hour: string;

  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: HOURLY_KEY })
  agentId: string;

  /** Empty: none. */
  @PrimaryColumn('text', { primaryKeyConstraintName: HOURLY_KEY })
  model: string;

  /** 0: unknown. */
  @PrimaryColumn('integer', { name: 'config_version', primaryKeyConstraintName: HOURLY_KEY })
  configVersion: number;

  /** Two where the owner has chosen another one within the hour. */
  @PrimaryColumn('text', { name: 'usage_from', primaryKeyConstraintName: HOURLY_KEY })
  usageFrom: UsageSource;
}

/** The sum of {@link HourlyUsageEntity} over a day, in UTC. */
@Entity('usage_daily')
@Index('usage_daily_agent_id_day_idx', ['agentId', 'day'])
@Index('usage_daily_day_idx', ['day'])
export class DailyUsageEntity extends UsageColumns {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: DAILY_KEY })
  projectId: string;

  @PrimaryColumn('date', { primaryKeyConstraintName: DAILY_KEY })
  day: string;

  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: DAILY_KEY })
  agentId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: DAILY_KEY })
  model: string;

  @PrimaryColumn('integer', { name: 'config_version', primaryKeyConstraintName: DAILY_KEY })
  configVersion: number;
}

/** The sum of {@link DailyUsageEntity} over a week. Reports on all agents read it: for a month it has a fifth of the rows. */
@Entity('usage_weekly')
@Index('usage_weekly_week_idx', ['week'])
export class WeeklyUsageEntity extends UsageColumns {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: WEEKLY_KEY })
  projectId: string;

  /** The Monday. */
  @PrimaryColumn('date', { primaryKeyConstraintName: WEEKLY_KEY })
  week: string;

  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: WEEKLY_KEY })
  agentId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: WEEKLY_KEY })
  model: string;

  @PrimaryColumn('integer', { name: 'config_version', primaryKeyConstraintName: WEEKLY_KEY })
  configVersion: number;
}

/** The sum of {@link HourlyUsageEntity} over the agents of a project. Where no agent is asked for, it has few rows to read. */
@Entity('project_usage')
@Index('project_usage_hour_idx', ['hour'])
export class ProjectUsageEntity extends UsageColumns {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: PROJECT_KEY })
  projectId: string;

  @TimestampColumn({ primary: true, primaryKeyConstraintName: PROJECT_KEY })
  hour: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: PROJECT_KEY })
  model: string;
}

/** Usage of one model by a run within an hour. */
@Entity('run_usage')
@Check('run_usage_usage_from_check', IS_SOURCE)
export class RunUsageEntity extends UsageColumns {
  @PrimaryColumn('uuid', { name: 'run_id', primaryKeyConstraintName: RUN_KEY })
  @ForeignKey('RunEntity', { name: 'run_usage_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: RUN_KEY })
  model: string;

  @TimestampColumn({ primary: true, primaryKeyConstraintName: RUN_KEY })
  hour: string;

  @PrimaryColumn('text', { name: 'usage_from', primaryKeyConstraintName: RUN_KEY })
  usageFrom: UsageSource;
}

/**
 * Since when each source reports an agent's model; null: it has reported nothing. The best one of a time is counted,
 * unless the owner chooses.
 */
@Entity('usage_sources')
export class UsageSourceEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: SOURCES_KEY })
  @ForeignKey('AgentEntity', { name: 'usage_sources_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: SOURCES_KEY })
  model: string;

  @TimestampColumn({ name: 'reports_since', nullable: true })
  reportsSince: string | null;

  @TimestampColumn({ name: 'metrics_since', nullable: true })
  metricsSince: string | null;

  @TimestampColumn({ name: 'spans_since', nullable: true })
  spansSince: string | null;
}
