import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { PausedBy, RunsOfPause } from '../lifecycle/deployment-pause.js';

/** One act that holds agents, of a person or of a budget. It ends once, and then holds none of them any more. */
@Entity('pauses')
@Index('pauses_project_id_id_idx', ['projectId', 'id'])
@Index('pauses_unsettled_idx', ['id'], { where: 'NOT is_settled' })
@Index('pauses_ended_at_idx', ['endedAt'], { where: 'ended_at IS NOT NULL' })
@Check('pauses_by_check', "by IN ('user', 'budget')")
@Check('pauses_runs_check', "runs IN ('finish', 'cancel')")
@Check('pauses_budget_id_check', "(by = 'budget') = (budget_id IS NOT NULL)")
export class PauseEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pauses_pkey' })
  id: string;

  @Column('uuid', { name: 'project_id' })
  @ForeignKey('ProjectEntity', { name: 'pauses_project_fkey', onDelete: 'CASCADE' })
  projectId: string;

  @Column('text')
  by: PausedBy;

  /** The agent that was named; null: it was not one agent that was named. */
  @Column('uuid', { name: 'agent_id', nullable: true })
  agentId: string | null;

  /** A label as `key:value` that the agents had when it began. */
  @Column('text', { nullable: true })
  label: string | null;

  /** The type that the agents had when it began. */
  @Column('text', { nullable: true })
  type: string | null;

  @Column('uuid', { name: 'budget_id', nullable: true })
  budgetId: string | null;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text')
  runs: RunsOfPause;

  @Column('text')
  actor: string;

  /** Number of agents that it held when it began. */
  @Column('integer')
  agents: number;

  /** False while agents are still to be held or released for it, each in a transaction of its group. */
  @Column('boolean', { name: 'is_settled' })
  isSettled: boolean;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: string | null;

  /** The actor that ended it; null: it has not ended, or no agent was left. */
  @Column('text', { name: 'ended_by', nullable: true })
  endedBy: string | null;
}
