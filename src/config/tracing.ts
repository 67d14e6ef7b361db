import type { Settings } from './settings.js';

/** Returns true if traces are exported: an endpoint is set, and `OTEL_SDK_DISABLED` is not true. */
export function hasTraces(settings: Settings): boolean {
  const { OTEL_SDK_DISABLED, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = settings;
  return !OTEL_SDK_DISABLED && OTEL_EXPORTER_OTLP_ENDPOINT + OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== '';
}
