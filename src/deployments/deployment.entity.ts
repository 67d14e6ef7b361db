import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type {
  DeploymentStatus,
  FailureCause,
  Replacement,
  StatusSource,
} from '../lifecycle/deployment-lifecycle.js';
import type { RestartPace } from '../lifecycle/restart-pace.js';
import type { LastExit } from './runtime-report.types.js';

/** A deployment of an agent and its status, which only `DeploymentLifecycleService` writes. */
@Entity('deployments')
@Index('deployments_user_id_id_idx', ['projectId', 'id'])
@Index('deployments_user_id_status_id_idx', ['projectId', 'status', 'id'])
@Index('deployments_agent_id_id_idx', ['agentId', 'id'])
@Index('deployments_agent_id_created_at_id_idx', ['agentId', 'createdAt', 'id'])
@Index('deployments_active_agent_id_idx', ['agentId'], {
  where: "status IN ('deploying', 'running', 'ready')",
})
@Index('deployments_active_user_id_id_idx', ['projectId', 'id'], {
  where: "status IN ('deploying', 'running', 'ready')",
})
@Index('deployments_lost_agent_id_idx', ['agentId'], { where: "failure_cause = 'heartbeat_lost'" })
@Index('deployments_deploying_started_at_idx', ['startedAt'], { where: "status = 'deploying'" })
@Index('deployments_killed_ended_at_idx', ['endedAt'], { where: "status = 'killed'" })
@Index('deployments_restart_pace_last_restart_at_idx', ['lastRestartAt'], {
  where: 'restart_pace IS NOT NULL',
})
@Check('deployments_restart_pace_check', "restart_pace IN ('frequent', 'crash_looping')")
@Check(
  'deployments_status_check',
  "status IN ('deploying', 'running', 'ready', 'stopped', 'failed', 'killed')",
)
@Check('deployments_status_source_check', "status_source IN ('user', 'agent', 'monitor')")
@Check(
  'deployments_failure_cause_check',
  "failure_cause IN ('reported', 'deadline_exceeded', 'heartbeat_lost', 'stalled')",
)
@Check('deployments_replaces_check', "replaces IN ('none', 'active')")
@Check('deployments_replicas_check', 'replicas >= 0')
@Check('deployments_ready_replicas_check', 'ready_replicas >= 0')
export class DeploymentEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'deployments_pkey' })
  id: string;

  @Column('uuid', { name: 'agent_id' })
  @ForeignKey('AgentEntity', { name: 'deployments_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** The agent's owner, repeated here so that tenancy is in every WHERE without a join. */
  @Column('uuid', { name: 'user_id' })
  @ForeignKey('ProjectEntity', { name: 'deployments_project_fkey' })
  projectId: string;

  @Column('text')
  status: DeploymentStatus;

  /** The source of the last change of status. */
  @Column('text', { name: 'status_source' })
  statusSource: StatusSource;

  /** The cause of the failure; null unless the status is `failed`. */
  @Column('text', { name: 'failure_cause', nullable: true })
  failureCause: FailureCause | null;

  /** The config version of the deployment. */
  @Column('integer', { name: 'config_version', default: 1 })
  configVersion: number;

  /**
   * `active` until the deployment is ready or restarted. When it is ready, the agent's older active deployments are
   * stopped.
   */
  @Column('text', { default: 'none' })
  replaces: Replacement;

  @Column('integer')
  replicas: number;

  @Column('integer', { name: 'ready_replicas', default: 0 })
  readyReplicas: number;

  /** The number of the last request: it grows with each deploy, scale and restart. */
  @Column('integer')
  generation: number;

  /** The generation of the last deploy or restart. Reports about earlier generations are ignored. */
  @Column('integer', { name: 'start_generation' })
  startGeneration: number;

  /** The last generation that the runtime confirmed. */
  @Column('integer', { name: 'observed_generation', nullable: true })
  observedGeneration: number | null;

  /** The last generation in which all replicas were ready; null before the first. */
  @Column('integer', { name: 'ready_generation', nullable: true })
  readyGeneration: number | null;

  /** Restarts since the last deploy or restart, as the runtime counts them. */
  @Column('integer', { name: 'restart_count', default: 0 })
  restartCount: number;

  /** Times of the latest restarts, oldest first: as many as make a crash loop. */
  @Column('jsonb', { name: 'recent_restarts', default: [] })
  recentRestarts: readonly string[];

  @TimestampColumn({ name: 'last_restart_at', nullable: true })
  lastRestartAt: string | null;

  /** Null while restarts are rare, and after the end of the deployment. */
  @Column('text', { name: 'restart_pace', nullable: true })
  restartPace: RestartPace | null;

  @Column('jsonb', { name: 'last_exit', nullable: true })
  lastExit: LastExit | null;

  /** The agent's name. It is no column: each read and each `RETURNING` looks it up. */
  agentName: string;

  /** The sequence of the newest history row. */
  @Column('integer', { name: 'last_sequence' })
  lastSequence: number;

  /**
   * True while a pause of the agent holds it: its runtime was asked for no replica. After a lost heartbeat it says what
   * the runtime was asked for last.
   */
  @Column('boolean', { name: 'is_held', default: false })
  isHeld: boolean;

  @Column('text', { name: 'node_id', nullable: true })
  nodeId: string | null;

  @Column('text', { name: 'error_message', nullable: true })
  errorMessage: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'started_at', default: () => 'now()' })
  startedAt: string;

  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: string | null;

  @TimestampColumn({ name: 'updated_at', default: () => 'now()' })
  updatedAt: string;
}
