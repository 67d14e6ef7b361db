import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** When an agent was last heard of. A table of its own, because every heartbeat writes it. */
@Entity('agent_presence')
export class AgentPresenceEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'agent_presence_pkey' })
  @ForeignKey('AgentEntity', { name: 'agent_presence_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** Any authenticated call of its runtime. */
  @TimestampColumn({ name: 'last_seen_at', nullable: true })
  lastSeenAt: string | null;

  @TimestampColumn({ name: 'last_heartbeat_at', nullable: true })
  lastHeartbeatAt: string | null;

  /** Since when it has been heard of without a loss; null before its first sign and after a loss. */
  @TimestampColumn({ name: 'online_since', nullable: true })
  onlineSince: string | null;

  /** The heartbeat interval that the agent was told last: it is judged by this one alone. */
  @Column('integer', { name: 'told_interval_seconds' })
  toldIntervalSeconds: number;

  /** How often its heartbeat was lost since `losses_since`; starts anew when that is long ago. */
  @Column('smallint', { default: 0 })
  losses: number;

  @TimestampColumn({ name: 'losses_since', nullable: true })
  lossesSince: string | null;

  @Column('text', { name: 'reported_status', nullable: true })
  reportedStatus: string | null;

  @Column('text', { name: 'reported_message', nullable: true })
  reportedMessage: string | null;
}
