import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/row-values.js';
import type { RunStatus } from '../../lifecycle/run-lifecycle.js';
import type { CatchUp, LastRun, Overlap, ScheduleTerms } from './schedule.types.js';

/** A schedule that makes runs of an agent, with its next due time. */
@Entity('schedules')
@Index('schedules_project_id_id_idx', ['projectId', 'id'])
@Index('schedules_agent_id_id_idx', ['agentId', 'id'])
@Index('schedules_next_run_at_idx', ['nextRunAt'], { where: 'next_run_at IS NOT NULL' })
@Check('schedules_clock_check', '(cron IS NULL) <> (every_seconds IS NULL)')
@Check('schedules_overlap_check', "overlap IN ('skip', 'queue', 'allow')")
@Check('schedules_catch_up_check', "catch_up IN ('none', 'one')")
@Check('schedules_priority_check', 'priority BETWEEN 0 AND 9')
@Check('schedules_next_run_at_check', 'is_active OR next_run_at IS NULL')
export class ScheduleEntity implements ScheduleTerms, LastRun {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'schedules_pkey' })
  id: string;

  @Column('uuid', { name: 'agent_id' })
  @ForeignKey('AgentEntity', { name: 'schedules_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** The agent's project, as in its runs. */
  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('text', { nullable: true })
  name: string | null;

  /** A cron expression of five fields; null: it is due each so many seconds. */
  @Column('text', { nullable: true })
  cron: string | null;

  @Column('integer', { name: 'every_seconds', nullable: true })
  everySeconds: number | null;

  @Column('text')
  timezone: string;

  /** The time from which `everySeconds` are counted. */
  @TimestampColumn({ name: 'anchored_at' })
  anchoredAt: string;

  @Column('jsonb', { nullable: true })
  input: unknown;

  @Column('jsonb', { default: {} })
  labels: Record<string, string>;

  @Column('smallint', { default: 5 })
  priority: number;

  @Column('integer', { name: 'timeout_seconds', nullable: true })
  timeoutSeconds: number | null;

  @Column('integer', { name: 'max_attempts', default: 1 })
  maxAttempts: number;

  @Column('integer', { name: 'first_delay_seconds', default: 0 })
  firstDelaySeconds: number;

  @Column('boolean', { name: 'retries_abandoned', default: false })
  retriesAbandoned: boolean;

  @Column('text')
  overlap: Overlap;

  @Column('text', { name: 'catch_up' })
  catchUp: CatchUp;

  @Column('boolean', { name: 'is_active', default: true })
  isActive: boolean;

  /** The next due time; null: it is paused, or there is none. */
  @TimestampColumn({ name: 'next_run_at', nullable: true })
  nextRunAt: string | null;

  /** The identities that have made or changed it, of a person's key the person: its runs are made at their request. Empty: it is older than this column. */
  @Column('text', { name: 'asked_by', array: true, default: [] })
  askedBy: string[];

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'updated_at', default: () => 'now()' })
  updatedAt: string;

  /** Read with each row for people, and no columns of the table. */
  agentName: string;
  lastRunId: string | null;
  lastRunStatus: RunStatus | null;
  lastRunQueuedAt: string | null;
}
