import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { BudgetAction, BudgetLimit, BudgetPeriod, BudgetState } from './budget.types.js';

/** A limit of what agents of a project may use in a period. */
@Entity('budgets')
@Index('budgets_project_id_id_idx', ['projectId', 'id'])
@Index('budgets_agent_id_idx', ['agentId'])
@Index('budgets_exceeded_project_id_idx', ['projectId'], { where: "state = 'exceeded'" })
@Check('budgets_period_check', "period IN ('run', 'hour', 'day', 'month')")
@Check('budgets_limit_of_check', "limit_of IN ('usd', 'tokens', 'llm_calls', 'tool_calls', 'minutes')")
@Check('budgets_on_exceeded_check', "on_exceeded IN ('notify', 'pause', 'stop')")
@Check('budgets_state_check', "state IN ('ok', 'warning', 'exceeded')")
@Check('budgets_scope_check', 'agent_id IS NULL OR label IS NULL')
export class BudgetEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'budgets_pkey' })
  id: string;

  @Column('uuid', { name: 'project_id' })
  @ForeignKey('ProjectEntity', { name: 'budgets_project_fkey', onDelete: 'CASCADE' })
  projectId: string;

  /** The only agent that it is for; null: it is for several. */
  @Column('uuid', { name: 'agent_id', nullable: true })
  @ForeignKey('AgentEntity', { name: 'budgets_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string | null;

  /** The label that its agents have; null: it is for all of the project, or for one. */
  @Column('jsonb', { nullable: true })
  label: Record<string, string> | null;

  @Column('text')
  name: string;

  @Column('text')
  period: BudgetPeriod;

  @Column('text')
  timezone: string;

  @Column('text', { name: 'limit_of' })
  limitOf: BudgetLimit;

  /** Millionths of a dollar, seconds of runs, or a number. */
  @Column('bigint', { name: 'limit_value' })
  limitValue: number;

  @Column('double precision', { name: 'warn_at' })
  warnAt: number;

  @Column('text', { name: 'on_exceeded' })
  onExceeded: BudgetAction;

  @Column('text', { name: 'created_by' })
  createdBy: string;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;

  @Column('text', { default: 'ok' })
  state: BudgetState;

  /** As it was last judged; in the measure of the limit. */
  @Column('bigint', { default: 0 })
  spent: number;

  @TimestampColumn({ name: 'period_started_at', nullable: true })
  periodStartedAt: string | null;

  @TimestampColumn({ name: 'resets_at', nullable: true })
  resetsAt: string | null;

  /** The pause that it has begun and not ended. */
  @Column('uuid', { name: 'pause_id', nullable: true })
  pauseId: string | null;

  /** Read with each row, and no column of the table. Null: it is for several, or another project has the agent now. */
  agentName: string | null;
}

/** A run that came near the limit of a budget for runs. */
@Entity('budget_runs')
@Index('budget_runs_run_id_idx', ['runId'])
@Check('budget_runs_state_check', "state IN ('ok', 'warning', 'exceeded')")
export class BudgetRunEntity {
  @PrimaryColumn('uuid', { name: 'budget_id', primaryKeyConstraintName: 'budget_runs_pkey' })
  @ForeignKey('BudgetEntity', { name: 'budget_runs_budget_id_fkey', onDelete: 'CASCADE' })
  budgetId: string;

  @PrimaryColumn('uuid', { name: 'run_id', primaryKeyConstraintName: 'budget_runs_pkey' })
  @ForeignKey('RunEntity', { name: 'budget_runs_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  @Column('text')
  state: BudgetState;
}
