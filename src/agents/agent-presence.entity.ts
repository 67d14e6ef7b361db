import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { Workload } from '../lifecycle/agent-health.js';
import type { Contact } from './contact.js';

/**
 * When an agent's runtime last called. A table of its own, because every heartbeat writes it; none of its indexes has a
 * column that a heartbeat changes. An agent that is being removed has no row.
 */
@Entity('agent_presence')
@Index('agent_presence_user_id_contact_workload_agent_id_idx', ['userId', 'contact', 'workload', 'agentId'])
@Index('agent_presence_lost_user_id_quiet_since_idx', ['userId', 'quietSince'], { where: "contact = 'lost'" })
@Check('agent_presence_contact_check', "contact IN ('none', 'lost', 'quiet', 'recent')")
export class AgentPresenceEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'agent_presence_pkey' })
  @ForeignKey('AgentEntity', { name: 'agent_presence_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** The agent's owner, repeated here so that one owner's agents are counted without a look at all others. */
  @Column('uuid', { name: 'user_id' })
  userId: string;

  /** The last authenticated call of its runtime. */
  @TimestampColumn({ name: 'last_seen_at', nullable: true })
  lastSeenAt: string | null;

  @TimestampColumn({ name: 'last_heartbeat_at', nullable: true })
  lastHeartbeatAt: string | null;

  /** Since when its runtime has called without a loss; null before its first call and after a loss. */
  @TimestampColumn({ name: 'online_since', nullable: true })
  onlineSince: string | null;

  /** Set by the monitor's reviews; each call makes it `recent`. */
  @Column('text', { default: 'none' })
  contact: Contact;

  /** The last call, as of the review that set {@link contact}; no heartbeat writes it, so an index can have it. */
  @TimestampColumn({ name: 'quiet_since', nullable: true })
  quietSince: string | null;

  /** The agent's workload, repeated here by a trigger on `agents` so that one index counts by both. */
  @Column('text', { default: 'idle' })
  workload: Workload;

  /** The heartbeat interval that the last reply assigned. The agent's silence is measured by this one alone. */
  @Column('integer', { name: 'assigned_interval_seconds' })
  assignedIntervalSeconds: number;

  /** How often its heartbeat was lost since `losses_since`; restarts when that is older than the window. */
  @Column('smallint', { default: 0 })
  losses: number;

  @TimestampColumn({ name: 'losses_since', nullable: true })
  lossesSince: string | null;

  @Column('text', { name: 'reported_status', nullable: true })
  reportedStatus: string | null;

  @Column('text', { name: 'reported_message', nullable: true })
  reportedMessage: string | null;
}
