import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** An agent that a pause holds. An agent is paused while it has such a row. */
@Entity('agent_pauses')
@Index('agent_pauses_pause_id_agent_id_idx', ['pauseId', 'agentId'])
export class AgentPauseEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'agent_pauses_pkey' })
  @ForeignKey('AgentEntity', { name: 'agent_pauses_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  @PrimaryColumn('uuid', { name: 'pause_id', primaryKeyConstraintName: 'agent_pauses_pkey' })
  @ForeignKey('PauseEntity', { name: 'agent_pauses_pause_id_fkey', onDelete: 'CASCADE' })
  pauseId: string;

  /** When the agent's deployments were held for it; null: the act has begun, and this agent's turn is to come. */
  @TimestampColumn({ name: 'applied_at', nullable: true })
  appliedAt: string | null;
}
