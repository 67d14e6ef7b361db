import { ApiProperty } from '@nestjs/swagger';
import { ActorEmailProperty, ActorNameProperty } from '../http/actor-name-properties.js';
import type { ActorNames } from '../http/actor-names.js';
import { dollarsOf } from '../runs/usage.response.js';
import type { BudgetEntity } from './budget.entity.js';
import {
  BUDGET_ACTIONS,
  BUDGET_PERIODS,
  BUDGET_STATES,
  type BudgetAction,
  type BudgetLimit,
  type BudgetPeriod,
  type BudgetState,
} from './budget.types.js';

const SECONDS_OF_A_MINUTE = 60;

const NumberProperty = (description: string, example: number) =>
  ApiProperty({ type: Number, required: false, minimum: 0, description, example });

/** An amount in the measure of a budget: one of these. */
export class BudgetAmount {
  @ApiProperty({ required: false, description: 'Dollars.', example: '20.000000' })
  usd?: string;

  @NumberProperty('Input and output tokens, including cached ones.', 1_000_000)
  tokens?: number;

  @NumberProperty('Model calls.', 1_000)
  llm_calls?: number;

  @NumberProperty('Tool calls.', 1_000)
  tool_calls?: number;

  @NumberProperty('Minutes of runs.', 90)
  minutes?: number;
}

export class BudgetResponse {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ format: 'uuid' })
  project_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The agent that it limits. Null: see `label`.',
  })
  agent_id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null: there is no such agent, or another project has it now.',
    example: 'invoice-reader',
  })
  agent_name: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The label of the agents that it limits, as `key:value`. Null, with a null `agent_id`: all agents of the ' +
      'project.',
    example: 'team:billing',
  })
  label: string | null;

  @ApiProperty({ example: 'the month of the team' })
  name: string;

  @ApiProperty({
    enum: BUDGET_PERIODS,
    enumName: 'BudgetPeriod',
    description: '`run`: the limit applies to each run.',
  })
  period: BudgetPeriod;

  @ApiProperty({ description: 'The time zone in which periods begin.', example: 'Europe/Berlin' })
  timezone: string;

  @ApiProperty({ type: BudgetAmount })
  limit: BudgetAmount;

  @ApiProperty({ type: Number, description: 'Share of the limit at which it warns.', example: 0.8 })
  warn_at: number;

  @ApiProperty({
    enum: BUDGET_ACTIONS,
    enumName: 'BudgetAction',
    description:
      'What happens beyond the limit. A run that exceeds a limit per run is cancelled, unless this is `notify`.',
  })
  on_exceeded: BudgetAction;

  @ApiProperty({
    type: BudgetAmount,
    description:
      'Spent in this period, as of the last check. For `run`: the most that a current run has spent.',
  })
  spent: BudgetAmount;

  @ApiProperty({ enum: BUDGET_STATES, enumName: 'BudgetState' })
  state: BudgetState;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  period_started_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'The end of the period.' })
  resets_at: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'The pause that it started.' })
  pause_id: string | null;

  @ApiProperty({
    description: 'Who created it: `user:<id>` or `key:<id>`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  created_by: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

/** A budget with its maker's name, which people read. */
export class NamedBudgetResponse extends BudgetResponse {
  @ActorNameProperty()
  created_by_name: string | null;

  @ActorEmailProperty()
  created_by_email: string | null;
}

export function toNamedBudgetResponse(budget: BudgetEntity & ActorNames): NamedBudgetResponse {
  const { actorName, actorEmail } = budget;
  return { ...toBudgetResponse(budget), created_by_name: actorName, created_by_email: actorEmail };
}

export function toBudgetResponse(budget: BudgetEntity): BudgetResponse {
  return {
    id: budget.id,
    project_id: budget.projectId,
    agent_id: budget.agentId,
    agent_name: budget.agentName,
    label: labelText(budget.label),
    name: budget.name,
    period: budget.period,
    timezone: budget.timezone,
    limit: amountOf(budget.limitOf, budget.limitValue),
    warn_at: budget.warnAt,
    on_exceeded: budget.onExceeded,
    spent: amountOf(budget.limitOf, budget.spent),
    state: budget.state,
    period_started_at: budget.periodStartedAt,
    resets_at: budget.resetsAt,
    pause_id: budget.pauseId,
    created_by: budget.createdBy,
    created_at: budget.createdAt,
  };
}

/** An amount as people read it. */
export function amountOf(limitOf: BudgetLimit, value: number): BudgetAmount {
  if (limitOf === 'usd') return { usd: dollarsOf(value) };
  return { [limitOf]: limitOf === 'minutes' ? value / SECONDS_OF_A_MINUTE : value };
}

function labelText(label: Record<string, string> | null): string | null {
  const [pair] = Object.entries(label ?? {});
  return pair ? pair.join(':') : null;
}
