import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { Workload } from '../lifecycle/agent-health.js';

/**
 * When an agent's runtime last called. A table of its own, because every heartbeat writes it; two of three change no column of an
 * index. An agent that is being removed has no row.
 */
@Entity('agent_presence')
@Index('agent_presence_online_idx', ['projectId', 'workload', 'agentId'], {
  where: 'online_since IS NOT NULL',
})
@Index('agent_presence_online_until_idx', ['projectId', 'onlineUntil'], { where: 'online_since IS NOT NULL' })
@Index('agent_presence_lost_idx', ['projectId', 'workload', 'agentId'], {
  where: 'online_since IS NULL AND losses > 0',
})
@Index('agent_presence_lost_online_until_idx', ['projectId', 'onlineUntil'], {
  where: 'online_since IS NULL AND losses > 0',
})
@Index('agent_presence_never_connected_idx', ['projectId', 'workload', 'agentId'], {
  where: 'online_since IS NULL AND losses = 0',
})
export class AgentPresenceEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'agent_presence_pkey' })
  @ForeignKey('AgentEntity', { name: 'agent_presence_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** The agent's owner, repeated here so that one owner's agents are counted without a look at all others. */
  @Column('uuid', { name: 'user_id' })
  projectId: string;

  /** The last authenticated call of its runtime. */
  @TimestampColumn({ name: 'last_seen_at', nullable: true })
  lastSeenAt: string | null;

  @TimestampColumn({ name: 'last_heartbeat_at', nullable: true })
  lastHeartbeatAt: string | null;

  /** The runtime's last start, or its first call after a loss; null before the first call and after a loss. */
  @TimestampColumn({ name: 'online_since', nullable: true })
  onlineSince: string | null;

  /**
   * A time before which the timeout can't end. The real end is up to two thirds of the timeout later, so that few calls
   * change the index. After a loss, the time of the last call.
   */
  @TimestampColumn({ name: 'online_until', default: () => "'-infinity'" })
  onlineUntil: string;

  /** The agent's workload, repeated here so that one index counts by both. */
  @Column('text', { default: 'idle' })
  workload: Workload;

  /** The heartbeat interval assigned in the last reply. Only this interval decides how long the agent may be silent. */
  @Column('integer', { name: 'assigned_interval_seconds' })
  assignedIntervalSeconds: number;

  /** Number of losses since `losses_since`; restarts at 1 when that is older than the window. 0: never lost. */
  @Column('smallint', { default: 0 })
  losses: number;

  @TimestampColumn({ name: 'losses_since', nullable: true })
  lossesSince: string | null;

  @Column('text', { name: 'reported_status', nullable: true })
  reportedStatus: string | null;

  @Column('text', { name: 'reported_message', nullable: true })
  reportedMessage: string | null;
}
