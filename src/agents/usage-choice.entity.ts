import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { UsageChoice } from './agent-settings.types.js';

const PRIMARY_KEY = 'usage_choices_pkey';

/**
 * From what the usage of an agent was to be counted from a time on. Without a row: `auto`. A late report counts for
 * its own time.
 */
@Entity('usage_choices')
@Check('usage_choices_usage_from_check', "usage_from IN ('auto', 'spans', 'metrics', 'reports')")
export class UsageChoiceEntity {
  @PrimaryColumn('uuid', { name: 'agent_id', primaryKeyConstraintName: PRIMARY_KEY })
  @ForeignKey('AgentEntity', { name: 'usage_choices_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** `-infinity`: since the agent was created. */
  @TimestampColumn({ primary: true, primaryKeyConstraintName: PRIMARY_KEY })
  since: string;

  @Column('text', { name: 'usage_from' })
  usageFrom: UsageChoice;
}
