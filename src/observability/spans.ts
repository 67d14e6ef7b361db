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
 * Tracer of this service. Without an export endpoint, OpenTelemetry's API does nothing: it creates no span and keeps no
 * context. Attributes contain identifiers and counts; never a header, a body, a query or a message of an error.
 */
export const tracer = trace.getTracer('agent-control-plane');

export interface SpanRequest {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** The `traceparent` of the cause, perhaps on another instance; absent: the active span. */
  readonly cause?: string | null;
  readonly links?: readonly Link[];
}

/** The `traceparent` of the active span (https://www.w3.org/TR/trace-context); undefined without a trace. */
export function activeTraceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** The context of the active span, if it is exported. */
export function activeSpanContext(): SpanContext | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext() : undefined;
}

/** Runs `work` within a span, which ends with it and is marked as failed if `work` throws. */
export function inSpan<T>(request: SpanRequest, work: (span: Span) => Promise<T>): Promise<T> {
  return inSpanOf(request.cause ? contextOf(request.cause) : context.active(), request, work);
}

/** Runs `work` within a span if a trace is active: for steps that are of interest only within a trace. */
export function inChildSpan<T>(request: SpanRequest, work: () => Promise<T>): Promise<T> {
  return activeSpanContext() ? inSpan(request, work) : work();
}

/**
 * Runs work that several traced requests share in a separate trace, with a link to each of them; without a span if none
 * of them is exported.
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

/** Records a finished span, caused by `traceparent`, with a link to the active span. */
export function recordSpan(request: SpanRequest & { readonly cause: string }): void {
  const here = activeSpanContext();
  const { name, kind, attributes, cause } = request;
  const links = here ? [{ context: here }] : [];
  tracer.startSpan(name, { kind, attributes, links }, contextOf(cause)).end();
}

/** Links the active span to that of `traceparent`. */
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
