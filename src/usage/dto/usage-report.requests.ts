import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { AnyJson } from '../../http/any-json.js';
import { IdField, NumberRule, TextField, WholeNumberField } from '../../http/request-fields.js';
import { EntriesOf, type TakenEntries } from '../../http/taken-entries.js';
import { Moment } from '../../http/time-range.js';
import { Lenient } from '../../http/validation.js';
import { MICROS_OF_A_DOLLAR } from '../../runs/usage.response.js';
import type { ReportedUsage } from '../usage-reports.service.js';

const MAXIMUM_ENTRIES = 500;
const MAXIMUM_NAME = 200;
/** Sums of billions of such entries are still exact numbers in JSON. */
const MAXIMUM_TOKENS = 1_000_000_000;
const MAXIMUM_CALLS = 1_000_000;
const MAXIMUM_COST_USD = 1_000_000;
const DECIMAL = /^\d{1,7}(\.\d{1,12})?$/;

const TokensField = (description: string) =>
  WholeNumberField({ min: 0, max: MAXIMUM_TOKENS, optional: true, default: 0, description, example: 120 });
const CallsField = (description: string, usual: number) =>
  WholeNumberField({
    min: 0,
    max: MAXIMUM_CALLS,
    optional: true,
    default: usual,
    description,
    example: usual,
  });

export class UsageEntryRequest {
  @TextField({
    min: 1,
    max: MAXIMUM_NAME,
    description: 'The model, as its provider names it.',
    example: 'gpt-4o',
  })
  model: string;

  @TextField({
    max: MAXIMUM_NAME,
    optional: true,
    description: 'Used to find the price.',
    example: 'openai',
  })
  provider?: string;

  @IdField({ optional: true, description: 'The run of this agent that used the model.' })
  run_id?: string;

  @Moment("When it was used. Absent, or more than five minutes in the future: the service's time.")
  timestamp?: Date;

  @TokensField('Input tokens that were not cached.')
  input_tokens?: number;

  @TokensField('Input tokens read from a cache.')
  cache_read_tokens?: number;

  @TokensField('Input tokens written to a cache.')
  cache_write_tokens?: number;

  @TokensField('Output tokens, including reasoning.')
  output_tokens?: number;

  @TokensField('Output tokens used for reasoning.')
  reasoning_tokens?: number;

  @CallsField("Calls of the entry's model.", 1)
  llm_calls?: number;

  @CallsField('Tool calls.', 0)
  tool_calls?: number;

  @CallsField('Failed tool calls.', 0)
  tool_errors?: number;

  @ApiProperty({
    required: false,
    anyOf: [
      { type: 'number', minimum: 0, maximum: MAXIMUM_COST_USD },
      { type: 'string', pattern: DECIMAL.source },
    ],
    description: "Cost in dollars. Default: calculated from the model's price.",
    example: '0.0124',
  })
  @IsOptional()
  @AnyJson((value) => (typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value))
  @NumberRule({ min: 0, max: MAXIMUM_COST_USD })
  cost_usd?: number;
}

@Lenient()
export class ReportUsageRequest {
  @IdField({ optional: true, description: 'Must be the agent of the key.' })
  agent_id?: string;

  @ApiProperty({
    type: [UsageEntryRequest],
    maxItems: MAXIMUM_ENTRIES,
    description: 'An entry that breaks a rule is skipped, and listed in `refused` of the reply.',
  })
  @EntriesOf(() => UsageEntryRequest, { max: MAXIMUM_ENTRIES })
  usage: TakenEntries<UsageEntryRequest>;
}

/** An entry, in the service's words. */
export function toReportedUsage(entry: UsageEntryRequest): ReportedUsage {
  const output = entry.output_tokens ?? 0;
  return {
    runId: entry.run_id ?? null,
    model: entry.model,
    provider: entry.provider ?? null,
    at: entry.timestamp ?? null,
    tokens: {
      input_tokens: entry.input_tokens ?? 0,
      cache_read_tokens: entry.cache_read_tokens ?? 0,
      cache_write_tokens: entry.cache_write_tokens ?? 0,
      output_tokens: output,
      reasoning_tokens: Math.min(entry.reasoning_tokens ?? 0, output),
    },
    llmCalls: entry.llm_calls ?? 1,
    toolCalls: entry.tool_calls ?? 0,
    toolErrors: entry.tool_errors ?? 0,
    toldCostMicros:
      entry.cost_usd === undefined || entry.cost_usd === null
        ? null
        : Math.round(entry.cost_usd * MICROS_OF_A_DOLLAR),
  };
}
