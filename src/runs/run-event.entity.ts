import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { RunEventType, RunStatus } from '../lifecycle/run-lifecycle.js';

/** The history of runs: one row for each step, written with the step. */
@Entity('run_events')
@Check(
  'run_events_status_check',
  "status IN ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'timed_out', 'abandoned')",
)
export class RunEventEntity {
  @PrimaryColumn('uuid', { name: 'run_id', primaryKeyConstraintName: 'run_events_pkey' })
  @ForeignKey('RunEntity', { name: 'run_events_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  /** Names the event for readers of earlier ones; unique within the run. */
  @Column('uuid')
  id: string;

  /** Counts from 1 in each run, without gaps. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'run_events_pkey' })
  sequence: number;

  @Column('text', { name: 'event_type' })
  eventType: RunEventType;

  @Column('text')
  status: RunStatus;

  /** Null for the first step. */
  @Column('text', { name: 'previous_status', nullable: true })
  previousStatus: RunStatus | null;

  /** The attempt that the step belongs to; 0 before the first one. */
  @Column('integer')
  attempt: number;

  @Column('text')
  actor: string;

  /** An error, the reason of a cancellation, or why the agent waits. */
  @Column('text', { nullable: true })
  message: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
