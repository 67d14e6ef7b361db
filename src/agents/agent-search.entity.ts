import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/**
 * The properties of an agent that searches read, written with the columns of `agents`. A table of its own: each step of a
 * deployment updates the agent, and would write all of these indexes. An agent that is being removed has no row.
 */
@Entity('agent_search')
@Index('agent_search_user_id_agent_id_idx', ['projectId', 'agentId'])
@Index('agent_search_user_id_name_agent_id_idx', ['projectId', 'name', 'agentId'])
// On `terms` and the trigrams of `content`, which TypeORM can't declare.
@Index('agent_search_terms_idx', { synchronize: false })
export class AgentSearchEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'agent_search_pkey' })
  @ForeignKey('AgentEntity', { name: 'agent_search_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  @Column('uuid', { name: 'user_id' })
  projectId: string;

  /** The name in lower case, for the order of lists. */
  @Column('text')
  name: string;

  /** Name, description, type and host in lower case, each on its line. */
  @Column('text')
  content: string;

  /** The owner's id, `type:` and the type, `label:key:value` for each label. */
  @Column('text', { array: true })
  terms: string[];
}
