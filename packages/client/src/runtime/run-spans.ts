import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { type EndedSpan, jsonText, type SpanAttributes, type SpanKind } from './otlp-span.js';
import { messageOf } from './runtime-errors.js';

/** Tokens of a call in disjoint buckets: none is counted in two of them. */
export interface LlmUsage {
  /** Without those that were read from a cache or written to one. */
  readonly inputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** With those of reasoning. */
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
}

/** A call of a model. */
export interface LlmCall {
  readonly model: string;
  /** As OpenTelemetry names it: `openai`, `anthropic`, `aws.bedrock`. */
  readonly provider?: string;
  readonly usage?: LlmUsage;
  /** Cost in dollars, if it is known. Absent: the service takes the price of the model. */
  readonly costUsd?: number;
  /** The messages to the model. The service keeps them only if `capture` of the agent is `all`. */
  readonly input?: unknown;
  /** The model's answer. The service keeps it only if `capture` of the agent is `all`. */
  readonly output?: unknown;
}

/** The trace that spans belong to, and the parent of the first ones. */
export interface TraceContext {
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
}

interface OpenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly kind: SpanKind;
  /** Fields that are known only while the span is open. */
  attributes: SpanAttributes;
}

/** `gen_ai.operation.name` by the kind of span. */
const OPERATIONS: Readonly<Record<SpanKind, string | undefined>> = {
  agent: 'invoke_agent',
  llm: 'chat',
  tool: 'execute_tool',
  retrieval: 'retrieval',
  embedding: 'embeddings',
  other: undefined,
};
/** Maximum length of arguments and results; characters. The service reads no more of a text. */
const LONGEST_CONTENT = 16 * 1024;
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}/;

const openSpan = new AsyncLocalStorage<OpenSpan>();

/** Measures parts of a run, and hands each over when it has ended. */
export class RunSpans {
  private readonly trace: TraceContext;

  /** @param traceparent of the run; null: it has none yet, and its spans are a trace of their own */
  constructor(
    traceparent: string | null,
    private readonly common: SpanAttributes,
    private readonly onEnd: (span: EndedSpan) => void,
  ) {
    this.trace = contextOf(traceparent);
  }

  /** The span that the calling code runs in; undefined outside of those of this run. */
  get current(): { readonly traceId: string; readonly spanId: string } | undefined {
    const open = openSpan.getStore();
    return open?.traceId === this.trace.traceId ? open : undefined;
  }

  /** Calls the function in a span. @throws the function's error */
  async within<Result>(
    name: string,
    kind: SpanKind,
    attributes: SpanAttributes,
    work: () => Result | Promise<Result>,
    resultOf: (result: Result) => SpanAttributes = () => ({}),
  ): Promise<Result> {
    const parent = this.current;
    const span: OpenSpan = { traceId: this.trace.traceId, spanId: newSpanId(), kind, attributes };
    const clock = startClock();
    try {
      const result = await openSpan.run(span, async () => work());
      this.end(span, name, parent, clock, { ...span.attributes, ...resultOf(result) });
      return result;
    } catch (error) {
      const failure = messageOf(error).slice(0, LONGEST_CONTENT) || 'It failed without a message';
      this.end(span, name, parent, clock, { ...span.attributes, 'error.type': typeOf(error) }, failure);
      throw error;
    }
  }

  tool<Args, Result>(
    name: string,
    args: Args,
    work: (args: Args) => Result | Promise<Result>,
  ): Promise<Result> {
    const attributes = { 'gen_ai.tool.name': name, 'gen_ai.tool.call.arguments': contentOf(args) };
    return this.within(
      `execute_tool ${name}`,
      'tool',
      attributes,
      () => work(args),
      (result) => ({ 'gen_ai.tool.call.result': contentOf(result) }),
    );
  }

  /** Adds a call to the open span of a model, unless that has one; else it is a span of its own. */
  llm(call: LlmCall): void {
    const attributes = attributesOf(call);
    const open = openSpan.getStore();
    const isOfModel = open?.kind === 'llm' || open?.kind === 'embedding';
    if (open && isOfModel && this.current && !('gen_ai.request.model' in open.attributes)) {
      open.attributes = { ...open.attributes, ...attributes };
      return;
    }
    const span: OpenSpan = { traceId: this.trace.traceId, spanId: newSpanId(), kind: 'llm', attributes };
    this.end(span, `chat ${call.model}`, this.current, startClock(), attributes);
  }

  private end(
    { traceId, spanId, kind }: OpenSpan,
    name: string,
    parent: { readonly spanId: string } | undefined,
    clock: Clock,
    attributes: SpanAttributes,
    failure?: string,
  ): void {
    this.onEnd({
      traceId,
      spanId,
      parentSpanId: parent?.spanId ?? this.trace.parentSpanId,
      isParentRemote: parent === undefined && this.trace.parentSpanId !== undefined,
      name,
      startedAt: clock.startedAt,
      durationMs: clock.passedMs(),
      attributes: {
        'gen_ai.operation.name': OPERATIONS[kind],
        'agent_control_plane.span_kind': kind,
        ...this.common,
        ...attributes,
      },
      failure,
    });
  }
}

interface Clock {
  readonly startedAt: number;
  passedMs(): number;
}

/** The clock of the machine may be set in between, so it is used for the beginning only. */
function startClock(): Clock {
  const begun = performance.now();
  return { startedAt: Date.now(), passedMs: () => performance.now() - begun };
}

function contextOf(traceparent: string | null): TraceContext {
  const [, traceId, parentSpanId] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  return { traceId: traceId ?? randomBytes(16).toString('hex'), parentSpanId };
}

/** By its shape, because the platform's errors need not be instances of this realm's Error. */
function typeOf(error: unknown): string {
  const { name } = (error ?? {}) as { name?: unknown };
  return typeof name === 'string' && name !== '' ? name : typeof error;
}

function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** By the conventions the input has the cached tokens in it. */
function attributesOf({ model, provider, usage, costUsd, input, output }: LlmCall): SpanAttributes {
  const {
    inputTokens,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
    outputTokens,
    reasoningTokens,
  } = usage ?? {};
  return {
    'gen_ai.request.model': model,
    'gen_ai.provider.name': provider,
    ...(usage && {
      'gen_ai.usage.input_tokens': (inputTokens ?? 0) + cacheReadTokens + cacheWriteTokens,
      'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
      'gen_ai.usage.cache_write.input_tokens': cacheWriteTokens,
      'gen_ai.usage.output_tokens': outputTokens ?? 0,
      'gen_ai.usage.reasoning.output_tokens': reasoningTokens,
    }),
    'agent_control_plane.cost_usd': costUsd,
    ...(input !== undefined && { 'gen_ai.input.messages': contentOf(input) }),
    ...(output !== undefined && { 'gen_ai.output.messages': contentOf(output) }),
  };
}

/** Arguments or a result in JSON. A digest stands for the rest of a long one, so that different ones stay different. */
function contentOf(value: unknown): string | undefined {
  const text = jsonText(value);
  if (text === undefined || text.length <= LONGEST_CONTENT) return text;
  return `${text.slice(0, LONGEST_CONTENT)}…[truncated, SHA-256 ${createHash('sha256').update(text).digest('hex')}]`;
}
