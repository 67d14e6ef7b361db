import { hash } from 'node:crypto';
import type { Attributes } from '../../telemetry/otlp/attribute-values.js';
import { toolExchangeOf } from '../span-content.js';
import type { SpanKind } from '../span.types.js';
import type { StoredEvent } from '../stored-text.js';
import type { SpanFailure } from './span-failure.js';

const FINGERPRINT_BYTES = 16;

/**
 * The same bytes for the same tool, arguments and result, taken before content is dropped. A failure counts as a
 * result. Null where arguments or result are not reported: a tool that is polled would look like a loop.
 */
export function toolFingerprintOf(
  { kind, tool }: { readonly kind: SpanKind; readonly tool: string | null },
  { status, errorType, errorMessage }: SpanFailure,
  attributes: Attributes,
  events: readonly StoredEvent[],
): Buffer | null {
  if (kind !== 'tool') return null;
  const told = toolExchangeOf(attributes, events);
  const result = told.result ?? (status === 'error' ? { errorType, errorMessage } : undefined);
  if (told.arguments === undefined || result === undefined) return null;
  const exchange = JSON.stringify([tool, told.arguments, result]);
  return hash('sha256', exchange, 'buffer').subarray(0, FINGERPRINT_BYTES);
}
