import type { Usage } from '@agent-control-plane/client';

type Tokens = Pick<Usage, 'input_tokens' | 'cache_read_tokens' | 'cache_write_tokens' | 'output_tokens'>;

/** All tokens. Reasoning is part of the output. */
export const allTokens = (usage: Tokens): number =>
  usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
