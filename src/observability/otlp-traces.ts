import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { name, version } from '../config/version.js';

/** Maximum time of the last export: a collector that hangs must not delay the end of the process; milliseconds. */
const LAST_EXPORT_MS = 2_000;
/** Minimum time between two log lines about failed exports; milliseconds. */
const TOLD_EVERY_MS = 60_000;

/**
 * Starts the export of this process's spans. The SDK itself reads `OTEL_...` from the environment: endpoint, headers,
 * sampler, names. Only the entry point loads this file, and only if traces are exported: the SDK costs memory.
 *
 * @returns ends the export: the remaining spans are sent, within two seconds
 */
export function startTraces(logger: Logger): () => Promise<void> {
  tellFailures(logger);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': name,
          'service.version': version,
          'service.instance.id': randomUUID(),
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => Promise.race([provider.shutdown(), delay(LAST_EXPORT_MS)]);
}

/** While the receiver is down, every batch fails in the same way; one line a minute is enough. */
function tellFailures(logger: Logger): void {
  let toldAt = -Infinity;
  setGlobalErrorHandler((error) => {
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = performance.now();
    const reason = typeof error === 'string' ? error : error.message;
    logger.warn(
      { reason },
      'spans could not be exported: check OTEL_EXPORTER_OTLP_ENDPOINT and its receiver',
    );
  });
}
