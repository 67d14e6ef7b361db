import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/**
 * Spans of this service. Without an endpoint to export to, the API of OpenTelemetry does nothing: no span is made, no
 * context kept. Attributes hold identifiers and counts; never a header, a body, a query or a message of an error.
 */
export const tracer = trace.getTracer('agent-control-plane');

export interface SpanRequest {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** The `traceparent` of what caused it, perhaps on another instance; absent: what is under way here. */
  readonly cause?: string | null;
  readonly links?: readonly Link[];
}

/** The `traceparent` of what is under way (https://www.w3.org/TR/trace-context); undefined where nothing is traced. */
export function activeTraceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** The span of what is under way, if it is exported. */
export function activeSpanContext(): SpanContext | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext() : undefined;
}

/** Runs `work` within a span, which ends with it and is marked as failed when `work` throws. */
export function inSpan<T>(request: SpanRequest, work: (span: Span) => Promise<T>): Promise<T> {
  return inSpanOf(request.cause ? contextOf(request.cause) : context.active(), request, work);
}

/** As {@link inSpan}, only where something is traced already: for steps that nobody looks for by themselves. */
export function inChildSpan<T>(request: SpanRequest, work: () => Promise<T>): Promise<T> {
  return activeSpanContext() ? inSpan(request, work) : work();
}

/**
 * Runs what several traced requests share in a trace of its own, with a link to each of them; without a span where none of
 * them is exported.
 */
export function inSharedSpan<T>(
  request: SpanRequest,
  causes: readonly (SpanContext | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const links = causes.flatMap((cause) => (cause ? [{ context: cause }] : []));
  if (links.length === 0) return work();
  return inSpanOf(ROOT_CONTEXT, { ...request, links }, work);
}

/** Records a span that is over, caused by `traceparent`, with a link to what is under way here. */
export function recordSpan(request: SpanRequest & { readonly cause: string }): void {
  const here = activeSpanContext();
  const { name, kind, attributes, cause } = request;
  const links = here ? [{ context: here }] : [];
  tracer.startSpan(name, { kind, attributes, links }, contextOf(cause)).end();
}

/** Links what is under way to what `traceparent` names. */
export function linkActiveSpan(traceparent: string | undefined): void {
  if (traceparent === undefined) return;
  const linked = trace.getSpanContext(contextOf(traceparent));
  if (linked) trace.getActiveSpan()?.addLink({ context: linked });
}

function contextOf(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

function inSpanOf<T>(
  parent: Context,
  { name, kind, attributes, links }: SpanRequest,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const options = { kind, attributes, links: links ? [...links] : undefined };
  return tracer.startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
