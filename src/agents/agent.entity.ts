import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { Workload } from '../lifecycle/agent-health.js';
import type { AgentStatus } from '../lifecycle/agent-lifecycle.js';
import { isOutdatedSql, type RuntimeSoftware } from './runtime-software.types.js';
import type { Capture, LoopAction, UsageChoice } from './agent-settings.types.js';

/** An agent, as people recorded it and as its runtime reports it. */
@Entity('agents')
@Index('agents_present_user_id_id_idx', ['projectId', 'id'], { where: "status <> 'deleting'" })
@Index('agents_user_id_status_id_idx', ['projectId', 'status', 'id'])
// The index's condition has the oldest protocol that the service takes.
@Index('agents_outdated_idx', ['projectId', 'id'], { where: isOutdatedSql('agents') })
@Index('agents_deleting_idx', ['id'], { where: "status = 'deleting'" })
@Check(
  'agents_workload_check',
  "workload IN ('idle', 'ready', 'progressing', 'degraded', 'crash_looping', 'lost', 'failed', 'paused')",
)
@Check('agents_capture_check', "capture IN ('none', 'tools', 'all')")
@Check('agents_on_loop_check', "on_loop IN ('notify', 'cancel')")
@Check('agents_usage_from_check', "usage_from IN ('auto', 'spans', 'metrics', 'reports')")
@Check('agents_status_check', "status IN ('creating', 'running', 'stopped', 'failed', 'deleting')")
export class AgentEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'agents_pkey' })
  id: string;

  /** The column keeps its name for one release; see the migration `create-projects`. */
  @Column('uuid', { name: 'user_id' })
  @ForeignKey('ProjectEntity', { name: 'agents_project_fkey' })
  projectId: string;

  /** The account that created it; null: that of the personal project, which it was created in or given to. */
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy: string | null;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text')
  type: string;

  /** Pairs of short strings, by which people find agents. */
  @Column('jsonb', { default: {} })
  labels: Record<string, string>;

  /** The number of the newest config version; it only rises. */
  @Column('integer', { name: 'config_version', default: 1 })
  configVersion: number;

  @Column('text')
  status: AgentStatus;

  /** The action for a run that calls a tool again and again. */
  @Column('text', { name: 'on_loop', default: 'notify' })
  onLoop: LoopAction;

  /** The kept content of its spans. */
  @Column('text', { default: 'none' })
  capture: Capture;

  /** The newest of its {@link UsageChoiceEntity}. */
  @Column('text', { name: 'usage_from', default: 'auto' })
  usageFrom: UsageChoice;

  /**
   * The workload: the sum of its deployments, written with each change of one. Health follows from workload and
   * connection.
   */
  @Column('text', { default: 'idle' })
  workload: Workload;

  @Column('text', { name: 'workload_reason', default: 'Nothing is meant to run' })
  workloadReason: string;

  /** Since when it is held; null: no pause holds it. A step of a deployment reads it from the locked row. */
  @TimestampColumn({ name: 'paused_at', nullable: true })
  pausedAt: string | null;

  /** When its runtime had acknowledged all that the pause asks for; null: not yet, or no pause holds it. */
  @TimestampColumn({ name: 'pause_confirmed_at', nullable: true })
  pauseConfirmedAt: string | null;

  @Column('text', { nullable: true })
  version: string | null;

  @Column('text', { nullable: true })
  hostname: string | null;

  @Column('text', { nullable: true })
  platform: string | null;

  @Column('jsonb', { nullable: true })
  capabilities: unknown;

  @Column('jsonb', { nullable: true })
  metadata: unknown;

  /** Name, version and protocol of its runtime, as that says; null: nothing yet. */
  @Column('jsonb', { nullable: true })
  runtime: RuntimeSoftware | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'updated_at', default: () => 'now()' })
  updatedAt: string;
}
