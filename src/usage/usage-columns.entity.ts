import { Column } from 'typeorm';

/** A number that is counted up. */
const Counter = (name: string) => Column('bigint', { name, default: 0 });

/** The columns of counted amounts; see `usage.types.ts`. */
export abstract class UsageColumns {
  @Counter('input_tokens')
  inputTokens: number;

  @Counter('cache_read_tokens')
  cacheReadTokens: number;

  @Counter('cache_write_tokens')
  cacheWriteTokens: number;

  @Counter('output_tokens')
  outputTokens: number;

  @Counter('reasoning_tokens')
  reasoningTokens: number;

  @Counter('llm_calls')
  llmCalls: number;

  @Counter('tool_calls')
  toolCalls: number;

  @Counter('tool_errors')
  toolErrors: number;

  @Counter('cost_micros')
  costMicros: number;

  @Counter('uncosted_calls')
  uncostedCalls: number;
}
