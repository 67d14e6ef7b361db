import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { CommandAction } from '../lifecycle/deployment-lifecycle.js';
import type { CommandParameters, CommandState } from './command.types.js';

/** A command to an agent's runtime: the queue, its leases and its results. */
@Entity('commands')
@Unique('commands_deployment_id_sequence_key', ['deploymentId', 'sequence'])
@Index('commands_unsettled_idx', ['agentId', 'deploymentId', 'sequence'], { where: 'settled_at IS NULL' })
@Index('commands_waiting_user_id_created_at_idx', ['projectId', 'createdAt'], { where: 'settled_at IS NULL' })
@Index('commands_settled_at_idx', ['settledAt'], { where: 'settled_at IS NOT NULL' })
@Index('commands_exhausted_idx', ['leasedUntil'], { where: "state = 'leased'" })
@Index('commands_agent_id_id_idx', ['agentId', 'id'])
@Check('commands_action_check', "action IN ('deploy', 'scale', 'restart', 'stop', 'kill')")
@Check('commands_state_check', "state IN ('pending', 'leased', 'succeeded', 'failed', 'dead', 'superseded')")
@Check('commands_settled_check', "(settled_at IS NULL) = (state IN ('pending', 'leased'))")
export class CommandEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'commands_pkey' })
  id: string;

  @Column('uuid', { name: 'agent_id' })
  @ForeignKey('AgentEntity', { name: 'commands_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** The agent's owner, repeated here so that an index counts an owner's waiting commands. */
  @Column('uuid', { name: 'user_id' })
  projectId: string;

  @Column('uuid', { name: 'deployment_id' })
  @ForeignKey('DeploymentEntity', { name: 'commands_deployment_id_fkey', onDelete: 'CASCADE' })
  deploymentId: string;

  /** The sequence of the history row that created it, which orders the deployment's commands. */
  @Column('integer')
  sequence: number;

  @Column('integer')
  generation: number;

  @Column('text')
  action: CommandAction;

  @Column('jsonb')
  parameters: CommandParameters;

  @Column('text', { default: 'pending' })
  state: CommandState;

  /** Number of deliveries. */
  @Column('smallint', { default: 0 })
  attempts: number;

  @TimestampColumn({ name: 'leased_until', nullable: true })
  leasedUntil: string | null;

  @Column('jsonb', { nullable: true })
  result: unknown;

  @Column('text', { nullable: true })
  error: string | null;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'leased_at', nullable: true })
  leasedAt: string | null;

  @TimestampColumn({ name: 'acknowledged_at', nullable: true })
  acknowledgedAt: string | null;

  @TimestampColumn({ name: 'settled_at', nullable: true })
  settledAt: string | null;
}
