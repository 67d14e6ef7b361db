import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { StatusSource } from '../lifecycle/deployment-lifecycle.js';
import type { RunStatus } from '../lifecycle/run-lifecycle.js';
import type { RunProgress, RunSource } from './run.types.js';

/** A piece of work of an agent: the queue, its holders and its results. */
@Entity('runs')
@Index('runs_project_id_id_idx', ['projectId', 'id'])
@Index('runs_project_id_status_id_idx', ['projectId', 'status', 'id'])
@Index('runs_agent_id_id_idx', ['agentId', 'id'])
@Index('runs_agent_id_trace_id_idx', ['agentId', 'traceId'])
@Index('runs_deployment_id_idx', ['deploymentId'])
@Index('runs_project_id_conversation_id_id_idx', ['projectId', 'conversationId', 'id'], {
  where: 'conversation_id IS NOT NULL',
})
@Index('runs_agent_id_run_key_idx', ['agentId', 'runKey'], { unique: true, where: 'run_key IS NOT NULL' })
@Index('runs_open_agent_id_status_idx', ['agentId', 'status'], {
  where: "status IN ('queued', 'running', 'waiting')",
})
@Index('runs_queue_idx', { synchronize: false })
@Index('runs_schedule_id_due_at_idx', ['scheduleId', 'dueAt'], { unique: true, where: 'due_at IS NOT NULL' })
@Index('runs_schedule_id_queued_at_idx', ['scheduleId', 'queuedAt'], { where: 'schedule_id IS NOT NULL' })
@Index('runs_open_schedule_id_idx', ['scheduleId', 'queuedAt', 'id'], {
  where: "schedule_id IS NOT NULL AND status IN ('queued', 'running', 'waiting')",
})
@Index('runs_timeout_at_idx', ['timeoutAt'], { where: "status IN ('running', 'waiting')" })
@Index('runs_expires_at_idx', ['expiresAt'], { where: "status = 'queued' AND expires_at IS NOT NULL" })
@Index('runs_ended_at_idx', ['endedAt'], { where: 'ended_at IS NOT NULL' })
@Check(
  'runs_status_check',
  "status IN ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'timed_out', 'abandoned')",
)
@Check('runs_status_source_check', "status_source IN ('user', 'agent', 'monitor')")
@Check('runs_source_check', "source IN ('api', 'schedule', 'agent', 'trace')")
@Check('runs_ended_check', "(ended_at IS NULL) = (status IN ('queued', 'running', 'waiting'))")
@Check('runs_priority_check', 'priority BETWEEN 0 AND 9')
export class RunEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'runs_pkey' })
  id: string;

  @Column('uuid', { name: 'agent_id' })
  @ForeignKey('AgentEntity', { name: 'runs_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** The agent's project, repeated here so that tenancy is in every WHERE without a join. */
  @Column('uuid', { name: 'project_id' })
  projectId: string;

  /** The deployment that took it; null: none has, or it was removed. */
  @Column('uuid', { name: 'deployment_id', nullable: true })
  @ForeignKey('DeploymentEntity', { name: 'runs_deployment_id_fkey', onDelete: 'SET NULL' })
  deploymentId: string | null;

  /** The config version of that deployment. */
  @Column('integer', { name: 'config_version', nullable: true })
  configVersion: number | null;

  @Column('text', { nullable: true })
  name: string | null;

  @Column('text')
  status: RunStatus;

  @Column('text', { name: 'status_source' })
  statusSource: StatusSource;

  @Column('text')
  source: RunSource;

  /** The person who asked for the run. */
  @Column('text')
  actor: string;

  @Column('jsonb', { nullable: true })
  input: unknown;

  @Column('jsonb', { nullable: true })
  output: unknown;

  @Column('text', { nullable: true })
  error: string | null;

  @Column('jsonb', { nullable: true })
  progress: RunProgress | null;

  @Column('jsonb', { default: {} })
  labels: Record<string, string>;

  @Column('text', { name: 'conversation_id', nullable: true })
  conversationId: string | null;

  @Column('uuid', { name: 'parent_run_id', nullable: true })
  parentRunId: string | null;

  /** The run that it was made from, by a person's retry. */
  @Column('uuid', { name: 'retry_of', nullable: true })
  retryOf: string | null;

  /** The schedule that made it, which may have been removed since; null: none did. */
  @Column('uuid', { name: 'schedule_id', nullable: true })
  scheduleId: string | null;

  /** The due time of its schedule; null: a person asked for it. */
  @TimestampColumn({ name: 'due_at', nullable: true })
  dueAt: string | null;

  /** True: it is given to a runtime only while no other run of its schedule is under way or was queued before it. */
  @Column('boolean', { name: 'is_serial', default: false })
  isSerial: boolean;

  /** The agent's own word for a run that it began by itself. */
  @Column('text', { name: 'run_key', nullable: true })
  runKey: string | null;

  /** Number of attempts that were given to a runtime. */
  @Column('integer', { default: 0 })
  attempt: number;

  /** Number of those that it gave back unstarted. */
  @Column('integer', { name: 'returned_attempts', default: 0 })
  returnedAttempts: number;

  @Column('integer', { name: 'max_attempts', default: 1 })
  maxAttempts: number;

  @Column('integer', { name: 'first_delay_seconds', default: 0 })
  firstDelaySeconds: number;

  @Column('boolean', { name: 'retries_abandoned', default: false })
  retriesAbandoned: boolean;

  @Column('smallint', { default: 5 })
  priority: number;

  @Column('integer', { name: 'timeout_seconds', nullable: true })
  timeoutSeconds: number | null;

  /** Trace id of W3C trace context, for the spans of the agent. */
  @Column('text', { name: 'trace_id' })
  traceId: string;

  /** SHA-256 of the caller and the `Idempotency-Key` of the claim that took it. */
  @Column('bytea', { name: 'claim_key', nullable: true })
  claimKey: Buffer | null;

  /** Why its agent waits, in the agent's words; null: it does not. */
  @Column('text', { name: 'waiting_reason', nullable: true })
  waitingReason: string | null;

  /** The first of the heartbeats in a row that did not name it; null: the last one did. */
  @TimestampColumn({ name: 'missed_since', nullable: true })
  missedSince: string | null;

  @Column('integer', { name: 'last_sequence', default: 1 })
  lastSequence: number;

  @TimestampColumn({ name: 'queued_at', default: () => 'now()' })
  queuedAt: string;

  /** The earliest time at which it is given to a runtime. */
  @TimestampColumn({ name: 'available_at', default: () => 'now()' })
  availableAt: string;

  /** The latest time at which it is given to a runtime for the first time. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: string | null;

  @TimestampColumn({ name: 'started_at', nullable: true })
  startedAt: string | null;

  /** The end of its time; null: it has no limit, or is not under way. */
  @TimestampColumn({ name: 'timeout_at', nullable: true })
  timeoutAt: string | null;

  /** Seconds that are counted as the run's time: those of earlier attempts, and of a former project. */
  @Column('double precision', { name: 'counted_seconds', default: 0 })
  countedSeconds: number;

  /** Until when the attempt under way is counted; null: nothing of it is. */
  @TimestampColumn({ name: 'counted_until', nullable: true })
  countedUntil: string | null;

  @TimestampColumn({ name: 'cancel_requested_at', nullable: true })
  cancelRequestedAt: string | null;

  @TimestampColumn({ name: 'last_seen_at', nullable: true })
  lastSeenAt: string | null;

  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: string | null;

  /** Read with each row, and no column of the table. */
  agentName: string;

  /** As {@link agentName}: its usage, in the order of `USAGE_BUCKETS`; null: nothing was reported. */
  usage: readonly number[] | null;
}
