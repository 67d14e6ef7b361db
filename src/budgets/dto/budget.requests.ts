import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateIf, ValidateNested } from 'class-validator';
import { InvalidError } from '../../errors/domain-error.js';
import { isRecord } from '../../http/json-record.js';
import { LabelField, labelOf } from '../../http/label-fields.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import { ProjectField, ProjectParameter } from '../../http/project-fields.js';
import { ChoiceField, IdField, NameField, NumberField, Rule, Taken } from '../../http/request-fields.js';
import { TimeZoneField } from '../../http/time-zone.js';
import { MICROS_OF_A_DOLLAR } from '../../runs/usage.response.js';
import {
  BUDGET_ACTIONS,
  BUDGET_LIMITS,
  BUDGET_PERIODS,
  BUDGET_STATES,
  type BudgetAction,
  type BudgetLimit,
  type BudgetPeriod,
  type BudgetState,
  type BudgetTerms,
} from '../budget.types.js';

const MAXIMUM_NAME = 200;
const MAXIMUM_AMOUNT = 1_000_000_000;
const DEFAULT_WARN_AT = 0.8;
/** One unit of a limit, in the stored measure. */
const UNITS: Readonly<Record<BudgetLimit, number>> = {
  usd: MICROS_OF_A_DOLLAR,
  tokens: 1,
  llm_calls: 1,
  tool_calls: 1,
  minutes: 60,
};

/** @param smallest a smaller value would be stored as 0, which is used up before anything is */
const AmountField = (smallest: number, description: string, example?: number) =>
  NumberField({ min: smallest, max: MAXIMUM_AMOUNT, optional: true, description, example });

/** Exactly one of these. */
export class BudgetLimitRequest {
  @AmountField(0.000001, 'Dollars.', 20)
  usd?: number;

  @AmountField(1, 'Input and output tokens, including cached ones.')
  tokens?: number;

  @AmountField(1, 'Model calls.')
  llm_calls?: number;

  @AmountField(1, 'Tool calls.')
  tool_calls?: number;

  @AmountField(0.017, 'Minutes of runs.')
  minutes?: number;
}

const LimitField = (isRequired: boolean) =>
  applyDecorators(
    ApiProperty({
      type: BudgetLimitRequest,
      required: isRequired,
      description: 'Exactly one of its fields.',
    }),
    Taken(),
    ...(isRequired ? [] : [ValidateIf((_, value) => value !== undefined)]),
    Type(() => BudgetLimitRequest),
    Rule(
      'isOneLimit',
      (value) => isRecord(value) && limitsIn(value).length === 1,
      () => `limit must have exactly one of ${BUDGET_LIMITS.join(', ')}`,
    ),
    ValidateNested(),
  );

const WarnAtField = () =>
  NumberField({
    min: 0,
    max: 1,
    optional: 'not null',
    description: `Share of the limit at which it warns. Default: ${DEFAULT_WARN_AT}.`,
    example: DEFAULT_WARN_AT,
  });

const ActionField = () =>
  ChoiceField(BUDGET_ACTIONS, {
    enumName: 'BudgetAction',
    optional: 'not null',
    description:
      'What happens beyond the limit. A run that exceeds a limit per run is cancelled, unless this is `notify`. ' +
      'Default: `notify`.',
  });

export class CreateBudgetRequest {
  @NameField({ min: 1, max: MAXIMUM_NAME, example: 'the month of the team' })
  name: string;

  @ProjectField()
  project_id?: string;

  @IdField({ optional: true, description: 'The agent that it limits. Not with `label`.' })
  agent_id?: string;

  @LabelField({
    description:
      'Limits the agents with this label, as `key:value`. If both `agent_id` and `label` are absent: all agents of ' +
      'the project.',
  })
  label?: string;

  @ChoiceField(BUDGET_PERIODS, {
    enumName: 'BudgetPeriod',
    description: '`run`: the limit applies to each run.',
  })
  period: BudgetPeriod;

  @TimeZoneField('The time zone in which periods begin, by its IANA name. Default: UTC.')
  timezone?: string;

  @LimitField(true)
  limit: BudgetLimitRequest;

  @WarnAtField()
  warn_at?: number;

  @ActionField()
  on_exceeded?: BudgetAction;
}

export class UpdateBudgetRequest {
  @NameField({ min: 1, max: MAXIMUM_NAME, optional: 'not null', example: 'the month of the team' })
  name?: string;

  @TimeZoneField('The time zone in which periods begin, by its IANA name. Default: UTC.')
  timezone?: string;

  @LimitField(false)
  limit?: BudgetLimitRequest;

  @WarnAtField()
  warn_at?: number;

  @ActionField()
  on_exceeded?: BudgetAction;
}

export class ListBudgetsQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true, description: 'Only budgets that limit just this agent.' })
  agent_id?: string;

  @ChoiceField(BUDGET_STATES, { enumName: 'BudgetState', optional: true })
  state?: BudgetState;
}

export function termsOf(body: CreateBudgetRequest): BudgetTerms {
  return {
    name: body.name,
    timezone: body.timezone ?? 'UTC',
    ...limitOf(body.limit),
    warnAt: body.warn_at ?? DEFAULT_WARN_AT,
    onExceeded: body.on_exceeded ?? 'notify',
  };
}

/** The terms that a change names. */
export function changedTermsOf(body: UpdateBudgetRequest): Partial<BudgetTerms> {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.timezone !== undefined && { timezone: body.timezone }),
    ...(body.limit !== undefined && limitOf(body.limit)),
    ...(body.warn_at !== undefined && { warnAt: body.warn_at }),
    ...(body.on_exceeded !== undefined && { onExceeded: body.on_exceeded }),
  };
}

/** @throws InvalidError if it names an agent and a label */
export function scopeOf({ project_id: projectId, agent_id: agentId, label }: CreateBudgetRequest) {
  if (agentId && label)
    throw InvalidError.of('label', 'not_allowed', 'label must not be given together with agent_id');
  return { projectId, agentId, label: label ? labelOf(label) : null };
}

function limitOf(limit: BudgetLimitRequest): Pick<BudgetTerms, 'limitOf' | 'limitValue'> {
  const [limited] = limitsIn(limit as Record<string, unknown>);
  return { limitOf: limited!, limitValue: Math.round(limit[limited!]! * UNITS[limited!]) };
}

function limitsIn(limit: Record<string, unknown>): BudgetLimit[] {
  return BUDGET_LIMITS.filter((name) => limit[name] !== undefined && limit[name] !== null);
}
