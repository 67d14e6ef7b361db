import type { Attributes } from '../telemetry/otlp/attribute-values.js';
import type { SpanKind } from './span.types.js';

/** The kind of a span, and whether it is itself a call of a model or of a tool. */
export interface SpanRole {
  readonly kind: SpanKind;
  readonly call?: 'llm' | 'tool';
}

const LLM: SpanRole = { kind: 'llm', call: 'llm' };
const EMBEDDING: SpanRole = { kind: 'embedding', call: 'llm' };
const TOOL: SpanRole = { kind: 'tool', call: 'tool' };
/** Around calls that have spans of their own: tokens that it reports are the sum of theirs. */
const AGENT: SpanRole = { kind: 'agent' };
const RETRIEVAL: SpanRole = { kind: 'retrieval' };
const TOOL_PART: SpanRole = { kind: 'tool' };
const OTHER: SpanRole = { kind: 'other' };

type Roles = ReadonlyMap<string, SpanRole>;

/** `agent_control_plane.span_kind`, which is a {@link SpanKind}. */
const OWN_KINDS: Roles = new Map([
  ['agent', AGENT],
  ['llm', LLM],
  ['tool', TOOL],
  ['retrieval', RETRIEVAL],
  ['embedding', EMBEDDING],
  ['other', OTHER],
]);

/** `gen_ai.operation.name` of OpenTelemetry's conventions. */
const OPERATIONS: Roles = new Map([
  ['chat', LLM],
  ['generate_content', LLM],
  ['text_completion', LLM],
  ['embeddings', EMBEDDING],
  // Spring AI
  ['embedding', EMBEDDING],
  ['retrieval', RETRIEVAL],
  ['search_memory', RETRIEVAL],
  ['execute_tool', TOOL],
  ['invoke_agent', AGENT],
  ['invoke_workflow', AGENT],
  ['plan', AGENT],
  ['create_agent', AGENT],
]);

/** `openinference.span.kind` of OpenInference. */
const OPENINFERENCE_KINDS: Roles = new Map([
  ['LLM', LLM],
  ['EMBEDDING', EMBEDDING],
  ['TOOL', TOOL],
  ['AGENT', AGENT],
  ['RETRIEVER', RETRIEVAL],
  ['RERANKER', RETRIEVAL],
]);

/**
 * Names of Claude Code's spans. `claude_code.tool` is the wait for a permission and then `claude_code.tool.execution`,
 * which alone says whether the tool failed, and is absent if the call was denied.
 */
const CLAUDE_CODE_SPANS: Roles = new Map([
  ['claude_code.interaction', AGENT],
  ['claude_code.llm_request', LLM],
  ['claude_code.tool', TOOL_PART],
  ['claude_code.tool.execution', TOOL],
]);

/** `llm.request.type` of OpenLLMetry, which has no `gen_ai.operation.name` in its older versions. */
const OPENLLMETRY_REQUESTS: Roles = new Map([
  ['chat', LLM],
  ['completion', LLM],
  ['embedding', EMBEDDING],
  ['rerank', RETRIEVAL],
]);

/** `traceloop.span.kind` of OpenLLMetry. */
const TRACELOOP_KINDS: Roles = new Map([
  ['workflow', AGENT],
  ['agent', AGENT],
  ['tool', TOOL],
]);

/** `ai.operationId` of Vercel's AI SDK: the outer span of a call has the sum of its steps, which end in `.do...`. */
const AI_SDK_OPERATIONS: Roles = new Map([
  ['ai.generateText', AGENT],
  ['ai.streamText', AGENT],
  ['ai.generateObject', AGENT],
  ['ai.streamObject', AGENT],
  ['ai.generateText.doGenerate', LLM],
  ['ai.streamText.doStream', LLM],
  ['ai.generateObject.doGenerate', LLM],
  ['ai.streamObject.doStream', LLM],
  ['ai.embed.doEmbed', EMBEDDING],
  ['ai.embedMany.doEmbed', EMBEDDING],
  ['ai.rerank.doRerank', RETRIEVAL],
  ['ai.toolCall', TOOL],
]);

/** Attributes that name a role, the most telling one first. */
const SOURCES: readonly (readonly [attribute: string, roles: Roles])[] = [
  ['agent_control_plane.span_kind', OWN_KINDS],
  ['gen_ai.operation.name', OPERATIONS],
  ['openinference.span.kind', OPENINFERENCE_KINDS],
  ['llm.request.type', OPENLLMETRY_REQUESTS],
  ['traceloop.span.kind', TRACELOOP_KINDS],
  ['ai.operationId', AI_SDK_OPERATIONS],
];

export const CLAUDE_CODE_PREFIX = 'claude_code.';

/**
 * Attributes by which a span has a meaning, although none of its attributes names a role. `gen_ai.agent.name` and `session.id` are no
 * such marks: some programs put them on all spans.
 */
const MARKS = ['gen_ai.system', 'gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.tool.name'];

/** The role of a span; null if it has nothing to do with models, agents and tools. */
export function roleOf(name: string, attributes: Attributes): SpanRole | null {
  if (name.startsWith(CLAUDE_CODE_PREFIX)) return CLAUDE_CODE_SPANS.get(name) ?? OTHER;
  let isNamed = false;
  for (const [attribute, roles] of SOURCES) {
    const value = attributes[attribute];
    if (typeof value !== 'string') continue;
    const role = roles.get(value);
    if (role) return role;
    isNamed = true;
  }
  if (isNamed) return OTHER;
  if (isUnnamedCall(attributes)) return LLM;
  return MARKS.some((mark) => attributes[mark] !== undefined) ? OTHER : null;
}

/** A call by the conventions until version 1.26, which had no name of the operation. */
function isUnnamedCall(attributes: Attributes): boolean {
  return attributes['gen_ai.system'] !== undefined && attributes['gen_ai.request.model'] !== undefined;
}
