import { ApiProperty } from '@nestjs/swagger';
import { USAGE_BUCKETS, type UsageBucket, type UsageBuckets } from './usage.types.js';

/** Cost is counted in millionths of a dollar. */
export const MICROS_OF_A_DOLLAR = 1_000_000;
const DIGITS_OF_MICROS = 6;

const CountProperty = (description: string, example: number) =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description, example });

/** Tokens, calls and cost. Each token is in one bucket, except that reasoning tokens are within the output. */
export class UsageResponse {
  @CountProperty('Input tokens that were not cached.', 1200)
  input_tokens: number;

  @CountProperty('Input tokens read from a cache.', 300)
  cache_read_tokens: number;

  @CountProperty('Input tokens written to a cache.', 0)
  cache_write_tokens: number;

  @CountProperty('Output tokens, including reasoning.', 450)
  output_tokens: number;

  @CountProperty('Output tokens used for reasoning.', 120)
  reasoning_tokens: number;

  @CountProperty('Model calls.', 3)
  llm_calls: number;

  @CountProperty('Tool calls.', 5)
  tool_calls: number;

  @CountProperty('Failed tool calls.', 1)
  tool_errors: number;

  @ApiProperty({
    description: 'In dollars, without calls whose cost is unknown.',
    pattern: '^[0-9]+\\.[0-9]{6}$',
    example: '0.012400',
  })
  cost_usd: string;

  @CountProperty('Model calls whose cost is unknown, because neither the agent nor a price states it.', 0)
  uncosted_calls: number;
}

export function toUsageResponse(buckets: UsageBuckets): UsageResponse {
  const { cost_micros: micros, ...counts } = buckets;
  return { ...counts, cost_usd: dollarsOf(micros) };
}

/** Millionths of a dollar as dollars, exactly. */
export function dollarsOf(micros: number): string {
  const whole = Math.trunc(micros / MICROS_OF_A_DOLLAR);
  return `${whole}.${String(micros % MICROS_OF_A_DOLLAR).padStart(DIGITS_OF_MICROS, '0')}`;
}

/** @param values in the order of `USAGE_BUCKETS`, as a statement returns them */
export function bucketsOf(values: readonly number[]): UsageBuckets {
  return Object.fromEntries(USAGE_BUCKETS.map((bucket, index) => [bucket, values[index]!])) as Record<
    UsageBucket,
    number
  >;
}
