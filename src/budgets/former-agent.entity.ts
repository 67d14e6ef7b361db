import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

const PRIMARY_KEY = 'former_agents_pkey';

/** The labels that an agent had when it left a project: budgets continue to count its spending there. */
@Entity('former_agents')
@Index('former_agents_left_at_idx', ['leftAt'])
export class FormerAgentEntity {
  @PrimaryColumn('uuid', { name: 'project_id', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey('ProjectEntity', { name: 'former_agents_project_fkey', onDelete: 'CASCADE' })
  projectId: string;

  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: PRIMARY_KEY })
  agentId: string;

  @Column('jsonb')
  labels: Record<string, string>;

  @TimestampColumn({ name: 'left_at', default: () => 'now()' })
  leftAt: string;
}
