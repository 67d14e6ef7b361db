import { cutText, storable } from '../../http/storable-text.js';
import type { Span } from '../../telemetry/otlp/generated/otlp_pb.js';
import { type Attributes, nameIn } from '../../telemetry/otlp/attribute-values.js';
import type { SpanStatus } from '../span.types.js';
import type { StoredEvent } from '../stored-text.js';

/** Maximum length of an error's message, in characters. */
const MAXIMUM_MESSAGE_LENGTH = 1_000;
/** `STATUS_CODE_OK` and `STATUS_CODE_ERROR`. */
const OK = 1;
const ERROR = 2;

export interface SpanFailure {
  readonly status: SpanStatus;
  readonly errorType: string | null;
  readonly errorMessage: string | null;
}

/**
 * Whether a span failed, and why: its status and `error.type`, else its last exception. A span with an `error.type` has failed unless
 * its status is `ok`, because some emitters set no status.
 */
export function failureOf(
  { status }: Span,
  errorType: string | null,
  events: readonly StoredEvent[],
): SpanFailure {
  if (status?.code === OK) return { status: 'ok', errorType: null, errorMessage: null };
  if (status?.code !== ERROR && errorType === null) {
    return { status: 'unset', errorType: null, errorMessage: null };
  }
  const exception: Attributes = events.findLast(({ name }) => name === 'exception')?.attributes ?? {};
  const message = status?.message || textOf(exception['exception.message']);
  return {
    status: 'error',
    errorType: errorType ?? nameIn(exception, ['exception.type']),
    errorMessage: message === '' ? null : storable(cutText(message, MAXIMUM_MESSAGE_LENGTH)),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
