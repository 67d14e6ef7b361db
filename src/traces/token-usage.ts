import type { Attributes } from '../telemetry/otlp/attribute-values.js';
import { tokensIn } from './plausible-amounts.js';
import type { TokenUsage } from './span.types.js';

/** Names of one bucket in every dialect, the preferred one first. */
const NAMES = {
  input: [
    'gen_ai.usage.input_tokens',
    // until version 1.26 of the conventions
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    // of embeddings
    'ai.usage.tokens',
  ],
  output: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  ],
  cacheRead: [
    'gen_ai.usage.cache_read.input_tokens',
    // OpenLLMetry
    'gen_ai.usage.cache_read_input_tokens',
    // Pydantic AI
    'gen_ai.usage.details.cache_read_tokens',
    'llm.token_count.prompt_details.cache_read',
    'ai.usage.inputTokenDetails.cacheReadTokens',
    'ai.usage.cachedInputTokens',
  ],
  cacheWrite: [
    'gen_ai.usage.cache_write.input_tokens',
    // until version 1.41 of the conventions
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.details.cache_write_tokens',
    'llm.token_count.prompt_details.cache_write',
    'ai.usage.inputTokenDetails.cacheWriteTokens',
  ],
  reasoning: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.details.reasoning_tokens',
    'llm.token_count.completion_details.reasoning',
    'ai.usage.outputTokenDetails.reasoningTokens',
    'ai.usage.reasoningTokens',
  ],
} as const;

/** Claude Code copies the usage of Anthropic's API, whose input has no cached tokens in it. */
const CLAUDE_CODE_NAMES = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  cacheRead: ['cache_read_tokens'],
  cacheWrite: ['cache_creation_tokens'],
} as const;

/** Tokens of a call in disjoint buckets; null if its span says nothing of tokens. */
export function tokenUsageOf(attributes: Attributes): TokenUsage | null {
  const input = tokensIn(attributes, NAMES.input);
  const output = tokensIn(attributes, NAMES.output);
  const cacheRead = tokensIn(attributes, NAMES.cacheRead);
  const cacheWrite = tokensIn(attributes, NAMES.cacheWrite);
  const reasoning = tokensIn(attributes, NAMES.reasoning);
  if ([input, output, cacheRead, cacheWrite, reasoning].every((told) => told === null)) return null;
  const told = { input: input ?? 0, cacheRead: cacheRead ?? 0, cacheWrite: cacheWrite ?? 0 };
  return {
    inputTokens: uncachedInput(told),
    cacheReadTokens: told.cacheRead,
    cacheWriteTokens: told.cacheWrite,
    outputTokens: wholeOutput(output ?? 0, reasoning ?? 0),
    reasoningTokens: reasoning ?? 0,
  };
}

/** The same for a span of Claude Code. */
export function claudeCodeTokenUsageOf(attributes: Attributes): TokenUsage | null {
  const input = tokensIn(attributes, CLAUDE_CODE_NAMES.input);
  const output = tokensIn(attributes, CLAUDE_CODE_NAMES.output);
  if (input === null && output === null) return null;
  return {
    inputTokens: input ?? 0,
    cacheReadTokens: tokensIn(attributes, CLAUDE_CODE_NAMES.cacheRead) ?? 0,
    cacheWriteTokens: tokensIn(attributes, CLAUDE_CODE_NAMES.cacheWrite) ?? 0,
    outputTokens: output ?? 0,
    reasoningTokens: 0,
  };
}

/**
 * The conventions include cached tokens in the input. An emitter whose cached tokens are more than its input has left
 * them out of it.
 */
function uncachedInput(told: { input: number; cacheRead: number; cacheWrite: number }): number {
  const cached = told.cacheRead + told.cacheWrite;
  return cached > told.input ? told.input : told.input - cached;
}

/** Reasoning is part of the output. An emitter whose reasoning is more than its output has left it out of it. */
function wholeOutput(output: number, reasoning: number): number {
  return reasoning > output ? output + reasoning : output;
}
