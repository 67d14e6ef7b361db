import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * How many lines of an agent's log are numbered. The statement that stores lines raises it and locks the row until its
 * commit, so the lines of an agent are numbered in the order of their commits.
 */
@Entity('agent_log_positions')
export class AgentLogPositionEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'agent_log_positions_pkey' })
  agentId: string;

  /** The number of the last line. */
  @Column('bigint', { name: 'last_position' })
  lastPosition: number;
}
