import { type Attributes, nameIn } from '../telemetry/otlp/attribute-values.js';
import { costIn } from './plausible-amounts.js';
import type { SpanKind, TokenUsage } from './span.types.js';
import { CLAUDE_CODE_PREFIX, roleOf } from './span-dialects.js';
import { claudeCodeTokenUsageOf, tokenUsageOf } from './token-usage.js';

/** Models, agents and tools of a span, in the terms of this service. */
export interface SpanMeaning {
  readonly kind: SpanKind;
  /** False for spans of HTTP, of databases and the like. */
  readonly isGenAi: boolean;
  readonly isLlmCall: boolean;
  readonly isToolCall: boolean;
  readonly model: string | null;
  readonly provider: string | null;
  readonly conversationId: string | null;
  readonly tool: string | null;
  readonly errorType: string | null;
  /** Null unless the span is a call of a model, because other spans report the sum of the calls within them. */
  readonly tokens: TokenUsage | null;
  /** As {@link tokens}. */
  readonly costUsd: number | null;
}

const MODEL = [
  'gen_ai.response.model',
  'gen_ai.request.model',
  'llm.response.model_name',
  'llm.model_name',
  'llm.request.model_name',
  'embedding.model_name',
  'reranker.model_name',
  'ai.response.model',
  'ai.model.id',
];
const PROVIDER = ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system', 'ai.model.provider'];
const CONVERSATION = ['gen_ai.conversation.id', 'session.id'];
const TOOL = ['gen_ai.tool.name', 'tool.name', 'ai.toolCall.name'];
const ERROR = ['error.type'];
const COST = [
  'agent_control_plane.cost_usd',
  'gen_ai.usage.cost',
  'llm.cost.total',
  // Pydantic AI
  'operation.cost',
];

/** Reads the attributes of a span by every convention that is known here. Pure. */
export function meaningOf(name: string, attributes: Attributes): SpanMeaning {
  const role = roleOf(name, attributes);
  const isLlmCall = role?.call === 'llm';
  const isClaudeCode = name.startsWith(CLAUDE_CODE_PREFIX);
  const tokensOf = isClaudeCode ? claudeCodeTokenUsageOf : tokenUsageOf;
  return {
    kind: role?.kind ?? 'other',
    isGenAi: role !== null,
    isLlmCall,
    isToolCall: role?.call === 'tool',
    model: nameIn(attributes, isClaudeCode ? [...MODEL, 'model'] : MODEL),
    provider: nameIn(attributes, PROVIDER),
    conversationId: nameIn(attributes, CONVERSATION),
    tool: role?.kind === 'tool' ? toolOf(attributes, isClaudeCode) : null,
    errorType: nameIn(attributes, isClaudeCode ? [...ERROR, 'error_class', 'error'] : ERROR),
    tokens: isLlmCall ? tokensOf(attributes) : null,
    costUsd: isLlmCall ? costIn(attributes, COST) : null,
  };
}

function toolOf(attributes: Attributes, isClaudeCode: boolean): string | null {
  if (isClaudeCode) return nameIn(attributes, ['tool_name']);
  return nameIn(
    attributes,
    attributes['traceloop.span.kind'] === 'tool' ? [...TOOL, 'traceloop.entity.name'] : TOOL,
  );
}
