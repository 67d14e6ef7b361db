/** The names of the counted amounts, as in the database and in replies. */
export const USAGE_BUCKETS = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'llm_calls',
  'tool_calls',
  'tool_errors',
  'cost_micros',
  'uncosted_calls',
] as const;
export type UsageBucket = (typeof USAGE_BUCKETS)[number];

/**
 * Tokens, calls and cost. Each token is in one bucket, except that reasoning tokens are within the output. Cost is in millionths of
 * a dollar; a call of which neither its agent nor a price says the cost is an uncosted one.
 */
export type UsageBuckets = Readonly<Record<UsageBucket, number>>;
