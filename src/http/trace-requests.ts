import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { tracer } from '../observability/spans.js';
import { requestIdOf } from './request-id.js';

/** Paths that machines request all the time, and that are of no interest in a trace. */
const PROBES = new Set(['/health', '/ready', '/metrics']);

/**
 * Creates a span for a request, as a part of the trace in its `traceparent`. It lasts until the response has ended: for
 * a waiting poll or a stream, as long as that waits.
 */
export function traceRequest(request: Request, response: Response, next: NextFunction): void {
  if (PROBES.has(request.path)) {
    next();
    return;
  }
  const { method } = request;
  const caller = propagation.extract(ROOT_CONTEXT, request.headers);
  const span = tracer.startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
    caller,
  );
  // Emitted once for every response, whether it was sent or its caller has disconnected.
  response.once('close', () => {
    const route = (request.route as { path?: string } | undefined)?.path;
    if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
    span.setAttribute('http.response.status_code', response.statusCode);
    span.setAttribute('control_plane.request_id', requestIdOf(response));
    if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
  context.with(trace.setSpan(caller, span), () => next());
}
