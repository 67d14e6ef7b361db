import type { Attributes } from '../telemetry/otlp/attribute-values.js';
import type { Capture } from '../agents/agent-settings.types.js';

/**
 * The source of an attribute's content. Content is dropped unless the agent's `capture` keeps it: `tools` keeps content of
 * tools, `all` keeps both.
 */
type ContentClass = 'tool' | 'conversation';

const TOOL_ARGUMENTS = [
  'gen_ai.tool.call.arguments',
  'ai.toolCall.args',
  'ai.toolCall.input',
  // Pydantic AI
  'tool_arguments',
  // Google's Agent Development Kit
  'gcp.vertex.agent.tool_call_args',
  // Claude Code
  'tool_input',
  'full_command',
];
const TOOL_RESULTS = [
  'gen_ai.tool.call.result',
  'ai.toolCall.result',
  'ai.toolCall.output',
  // Pydantic AI
  'tool_response',
  // Google's Agent Development Kit
  'gcp.vertex.agent.tool_response',
];
/** The attributes are arguments and result on a tool's span, and messages on others. */
const INPUTS = ['input.value', 'traceloop.entity.input', 'langfuse.observation.input'];
const OUTPUTS = ['output.value', 'traceloop.entity.output', 'langfuse.observation.output'];

const TOOL_CONTENT: ReadonlySet<string> = new Set([...TOOL_ARGUMENTS, ...TOOL_RESULTS, 'tool.parameters']);
const INPUTS_AND_OUTPUTS: ReadonlySet<string> = new Set([...INPUTS, ...OUTPUTS]);

const CONVERSATION: ReadonlySet<string> = new Set([
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.definitions',
  'gen_ai.retrieval.documents',
  'gen_ai.retrieval.query.text',
  'gen_ai.memory.records',
  'gen_ai.memory.query.text',
  'gen_ai.prompt',
  'gen_ai.completion',
  'gen_ai.event.content',
  // OpenInference
  'llm.prompts',
  'llm.choices',
  'llm.function_call',
  'llm.prompt_template.template',
  'llm.prompt_template.variables',
  'embedding.text',
  'embedding.vector',
  'reranker.query',
  // OpenLLMetry
  'llm.request.functions',
  // Vercel's AI SDK
  'ai.prompt',
  'ai.response.text',
  'ai.response.object',
  'ai.response.reasoning',
  'ai.response.toolCalls',
  'ai.value',
  'ai.values',
  'ai.embedding',
  'ai.embeddings',
  // Pydantic AI
  'all_messages_events',
  'pydantic_ai.all_messages',
  'final_result',
  // Google's Agent Development Kit
  'gcp.vertex.agent.llm_request',
  'gcp.vertex.agent.llm_response',
  'gcp.vertex.agent.data',
  // Langfuse and MLflow
  'langfuse.trace.input',
  'langfuse.trace.output',
  'mlflow.spanInputs',
  'mlflow.spanOutputs',
  // Claude Code
  'user_prompt',
  'new_context',
  'system_prompt_preview',
  'user_system_prompt',
  'response.model_output',
]);

/** Beginnings of names, where an attribute is one part of a list. */
const CONVERSATION_PREFIXES = [
  'llm.input_messages.',
  'llm.output_messages.',
  'llm.prompts.',
  'llm.choices.',
  'llm.tools.',
  'llm.request.functions.',
  'retrieval.documents.',
  'reranker.input_documents.',
  'reranker.output_documents.',
  'embedding.embeddings.',
  'ai.prompt.',
];
/** The same, before the number of a message: `gen_ai.prompt.name` is the name of a template. */
const NUMBERED_PREFIXES = ['gen_ai.prompt.', 'gen_ai.completion.'];

/** Copies of a request and its answer by LiteLLM, under the name of the provider: `llm.openai.messages`. */
const PROVIDER_PREFIX = 'llm.';
const COUNT_PREFIXES = ['llm.token_count.', 'llm.cost.'];
const PROVIDER_SUFFIXES = ['.messages', '.input', '.prompt', '.choices', '.content', '.output'];

/** Arguments of a tool of Claude Code. On the span of anything else such a name is ordinary. */
const BARE_ARGUMENTS: ReadonlySet<string> = new Set(['file_path']);

/** An event of Claude Code, all of whose attributes are arguments or results. */
const TOOL_OUTPUT_EVENT = 'tool.output';
/** Names of events that are a message. */
const MESSAGE_EVENTS: ReadonlySet<string> = new Set([
  'gen_ai.system.message',
  'gen_ai.user.message',
  'gen_ai.assistant.message',
  'gen_ai.tool.message',
  'gen_ai.choice',
]);

/** Attributes in two parts. */
export interface Separated {
  readonly kept: Attributes;
  /** Content that `capture` keeps. */
  readonly content: Attributes;
}

/** @param isTool whether the span is a tool's */
export function separateContent(attributes: Attributes, isTool: boolean, capture: Capture): Separated {
  return separate(attributes, (name) => contentClassOf(name, isTool), capture);
}

/** The same for an event of a span. */
export function separateEventContent(event: string, attributes: Attributes, capture: Capture): Separated {
  if (event === TOOL_OUTPUT_EVENT) return separate(attributes, () => 'tool', capture);
  if (MESSAGE_EVENTS.has(event)) return separate(attributes, () => 'conversation', capture);
  return separate(attributes, (name) => contentClassOf(name, false), capture);
}

function separate(
  attributes: Attributes,
  classOf: (name: string) => ContentClass | null,
  capture: Capture,
): Separated {
  const kept: [string, unknown][] = [];
  const content: [string, unknown][] = [];
  const entries = Object.entries(attributes);
  for (const entry of entries) {
    const of = classOf(entry[0]);
    if (of === null) kept.push(entry);
    else if (capture === 'all' || (capture === 'tools' && of === 'tool')) content.push(entry);
  }
  const hasAll = kept.length === entries.length;
  return { kept: hasAll ? attributes : Object.fromEntries(kept), content: Object.fromEntries(content) };
}

function contentClassOf(name: string, isTool: boolean): ContentClass | null {
  if (TOOL_CONTENT.has(name)) return 'tool';
  if (isTool && BARE_ARGUMENTS.has(name)) return 'tool';
  if (INPUTS_AND_OUTPUTS.has(name)) return isTool ? 'tool' : 'conversation';
  if (CONVERSATION.has(name)) return 'conversation';
  if (CONVERSATION_PREFIXES.some((prefix) => name.startsWith(prefix))) return 'conversation';
  if (isOfProvider(name)) return 'conversation';
  const isNumbered = NUMBERED_PREFIXES.some(
    (prefix) => name.startsWith(prefix) && isDigit(name[prefix.length]),
  );
  return isNumbered ? 'conversation' : null;
}

function isOfProvider(name: string): boolean {
  if (!name.startsWith(PROVIDER_PREFIX) || COUNT_PREFIXES.some((prefix) => name.startsWith(prefix)))
    return false;
  return PROVIDER_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

/** Arguments and result of a tool's call from its span; undefined: not reported. */
export function toolExchangeOf(
  attributes: Attributes,
  events: readonly { readonly name: string; readonly attributes: Attributes }[],
): { arguments: unknown; result: unknown } {
  const outputs = events.filter(({ name }) => name === TOOL_OUTPUT_EVENT).map((event) => event.attributes);
  // Claude Code writes both into one event: the output of a command as `output`, anything else under names of its own.
  if (outputs.some((output) => Object.keys(output).some((name) => name !== 'output'))) {
    return { arguments: outputs, result: outputs };
  }
  return {
    arguments: firstOf(attributes, [...TOOL_ARGUMENTS, ...INPUTS]),
    result: firstOf(attributes, [...TOOL_RESULTS, ...OUTPUTS]),
  };
}

function firstOf(attributes: Attributes, names: readonly string[]): unknown {
  const told = names.find((name) => attributes[name] !== undefined);
  return told === undefined ? undefined : attributes[told];
}
