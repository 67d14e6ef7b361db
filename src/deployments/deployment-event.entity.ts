import { Column, Entity, Generated, Index, PrimaryColumn, Unique } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { Actor } from '../access/principal.js';
import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';

/**
 * SQL condition for steps to `failed`, by the alias `event`. Constants, not parameters: only then does PostgreSQL use
 * the partial index.
 */
export const IS_FAILURE = "event.status = 'failed' AND event.previousStatus <> 'failed'";

/**
 * One step in a deployment's history, written in the step's transaction and never changed but for its number in the
 * project. It has no foreign keys: it
 * stays when its deployment and its agent are deleted, because its project's sequence must have no gaps.
 */
@Entity('deployment_events')
@Index('deployment_events_agent_id_created_at_idx', ['agentId', 'createdAt'])
@Index('deployment_events_created_at_idx', ['createdAt'])
@Index('deployment_events_failed_user_id_created_at_idx', ['projectId', 'createdAt'], {
  where: "status = 'failed' AND previous_status <> 'failed'",
})
@Unique('deployment_events_deployment_id_sequence_key', ['deploymentId', 'sequence'])
@Unique('deployment_events_user_id_user_sequence_key', ['projectId', 'projectSequence'])
@Index('deployment_events_unnumbered_user_id_position_idx', ['projectId', 'position'], {
  where: 'user_sequence IS NULL',
})
@Index('deployment_events_deployment_id_event_type_sequence_idx', ['deploymentId', 'eventType', 'sequence'])
@Index('deployment_events_deployment_id_status_sequence_idx', ['deploymentId', 'status', 'sequence'])
export class DeploymentEventEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'deployment_events_pkey' })
  id: string;

  /** The project to which the agent belonged then. */
  @Column('uuid', { name: 'user_id' })
  projectId: string;

  /** The order of the INSERTs, in which events get their numbers. */
  @Generated('increment')
  @Column({ type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  position: number;

  /** Counts from 1 in all events of the project, without gaps; null until a person reads it or the job has numbered it. */
  @Column('bigint', { name: 'user_sequence', nullable: true })
  projectSequence: number | null;

  @Column('uuid', { name: 'agent_id' })
  agentId: string;

  @Column('uuid', { name: 'deployment_id' })
  deploymentId: string;

  /** Counts from 1 in each deployment, without gaps. */
  @Column('integer')
  sequence: number;

  /** One of the lifecycle's `EVENT_TYPES`, or the reporter's own name for an event that is no step of the lifecycle. */
  @Column('text', { name: 'event_type' })
  eventType: string;

  /** The status after this step. */
  @Column('text')
  status: DeploymentStatus;

  @Column('text', { name: 'previous_status', nullable: true })
  previousStatus: DeploymentStatus | null;

  @Column('integer')
  replicas: number;

  @Column('text')
  actor: Actor;

  @Column('text', { name: 'node_id', nullable: true })
  nodeId: string | null;

  @Column('text', { name: 'error_message', nullable: true })
  errorMessage: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}

/** An event as a reader of its project's sequence gets it. */
export type NumberedEvent = DeploymentEventEntity & { readonly projectSequence: number };

/** An event as its deployment's history shows it. */
export type ShownEvent = Omit<DeploymentEventEntity, 'agentId' | 'position' | 'projectSequence'>;
