import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** A version of an agent's config. It is never changed; the agent's row has the number of the newest one. */
@Entity('agent_configs')
@Check('agent_configs_config_version_check', 'config_version >= 1')
export class AgentConfigEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: 'agent_configs_pkey' })
  @ForeignKey('AgentEntity', { name: 'agent_configs_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** Counts from 1 in each agent. Old versions that nothing names are deleted, and their numbers never used again. */
  @PrimaryColumn('integer', { name: 'config_version', primaryKeyConstraintName: 'agent_configs_pkey' })
  configVersion: number;

  /** A JSON document, as text: responses return it unchanged. */
  @Column('text')
  config: string;

  /** The actor who saved it: `user:<id>` or `key:<id>`. */
  @Column('text')
  actor: string;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}
