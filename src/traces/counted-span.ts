import type { UsageEntry } from '../usage/usage.types.js';
import type { NewSpan } from './spans.repository.js';
import type { ToolCall } from './tool-calls.repository.js';

/** The usage of a span: one entry for a call of a model or of a tool. Pure. */
export function usageOf(projectId: string, span: NewSpan): UsageEntry[] {
  if (!span.isLlmCall && !span.isToolCall) return [];
  const { tokens } = span;
  return [
    {
      projectId,
      agentId: span.agentId,
      runId: span.runId,
      configVersion: span.configVersion,
      model: span.isLlmCall ? span.model : null,
      provider: span.provider,
      at: span.timestamp,
      since: null,
      tokens: {
        input_tokens: tokens?.inputTokens ?? 0,
        cache_read_tokens: tokens?.cacheReadTokens ?? 0,
        cache_write_tokens: tokens?.cacheWriteTokens ?? 0,
        output_tokens: tokens?.outputTokens ?? 0,
        reasoning_tokens: tokens?.reasoningTokens ?? 0,
      },
      llmCalls: span.isLlmCall ? 1 : 0,
      toolCalls: span.isToolCall ? 1 : 0,
      toolErrors: span.isToolCall && span.status === 'error' ? 1 : 0,
      toldCostMicros: span.costMicros,
    },
  ];
}

/** The call of a tool within a run, with arguments and result, as a span reports it. Pure. */
export function toolCallOf({ isToolCall, agentId, runId, toolFingerprint, tool }: NewSpan): ToolCall[] {
  if (!isToolCall || runId === null || toolFingerprint === null) return [];
  return [{ agentId, runId, fingerprint: toolFingerprint, tool }];
}
