import { MAXIMUM_SPANS } from '../../budget/request-limits.js';
import { cutText, storable } from '../../http/storable-text.js';
import { attributesOf } from '../../telemetry/otlp/attributes.js';
import type { ExportTraceServiceRequest, Resource, Span } from '../../telemetry/otlp/generated/otlp_pb.js';
import {
  deploymentIdOf,
  ExportCollector,
  runIdOf,
  type TelemetryExport,
} from '../../telemetry/otlp/telemetry-export.js';
import { meaningOf } from '../span-meaning.js';
import type { SubmittedSpan, TraceReading } from '../span.types.js';
import { settleNesting } from './span-nesting.js';
import { eventsOf } from './span-events.js';
import { failureOf } from './span-failure.js';
import { type SpanIds, spanIdsOf } from './span-ids.js';
import { SpanTexts } from './span-texts.js';
import { toolFingerprintOf } from './tool-fingerprint.js';

/** Maximum length of a name, in characters. */
const MAXIMUM_NAME_LENGTH = 200;
/** Maximum duration, which fits in an integer of PostgreSQL: 24 days. */
const MAXIMUM_DURATION_MS = 2 ** 31 - 1;
/**
 * A span that is sent again is known by its time, too. So it keeps the time of a clock that is up to a day ahead, and is refused with a
 * later one, or none: the time of its receipt is another one each time.
 */
const AHEAD_MS = 24 * 60 * 60_000;
const NANOSECONDS_IN_A_MILLISECOND = 1_000_000n;
/** Bits of `flags`: whether the parent is remote is known, and it is. */
const REMOTE_PARENT = 0x300;

interface PlacedSpan {
  readonly path: string;
  readonly resource: Resource | undefined;
  readonly span: Span;
}

/**
 * Makes spans of an export: what each means, without the content that `capture` does not keep. Pure.
 *
 * With the detail `genai` it leaves out spans that are not of models, agents or tools, that are no root and have not failed. They
 * don't count as rejected. A span that the export contains twice is read once.
 *
 * @throws InvalidError past the limits of a request
 */
export function readTraceExport(
  request: ExportTraceServiceRequest,
  receivedAt: Date,
  reading: TraceReading,
): TelemetryExport<SubmittedSpan> {
  const collected = new ExportCollector<SubmittedSpan>('spans', receivedAt, MAXIMUM_SPANS, AHEAD_MS);
  const texts = new SpanTexts(reading.capture);
  const spans = new Map<string, SubmittedSpan>();
  for (const placed of spansOf(request)) {
    const ids = identityOf(placed.span, receivedAt);
    if ('problem' in ids) {
      collected.reject(1, `${placed.path} ${ids.problem}`);
      continue;
    }
    const key = `${ids.traceId}${ids.spanId}`;
    if (spans.has(key)) continue;
    const span = readSpan(placed, ids, collected, texts, reading.detail);
    if (span) spans.set(key, span);
  }
  for (const span of settleNesting(spans)) collected.add(span);
  return collected.result();
}

/** The identity of a span that is sent again, or the reason why it has none. */
function identityOf(span: Span, receivedAt: Date): ReturnType<typeof spanIdsOf> {
  const time = span.startTimeUnixNano || span.endTimeUnixNano;
  if (time === 0n) return { problem: 'has neither startTimeUnixNano nor endTimeUnixNano' };
  if (time / NANOSECONDS_IN_A_MILLISECOND > receivedAt.getTime() + AHEAD_MS)
    return { problem: 'is more than a day in the future' };
  return spanIdsOf(span);
}

function* spansOf({ resourceSpans }: ExportTraceServiceRequest): Generator<PlacedSpan> {
  for (const [index, { resource, scopeSpans }] of resourceSpans.entries()) {
    for (const [scopeIndex, { spans }] of scopeSpans.entries()) {
      for (const [spanIndex, span] of spans.entries()) {
        yield { path: `resourceSpans.${index}.scopeSpans.${scopeIndex}.spans.${spanIndex}`, resource, span };
      }
    }
  }
}

/** Null if the span is left out. */
function readSpan(
  { path, resource, span }: PlacedSpan,
  ids: SpanIds,
  collected: ExportCollector<SubmittedSpan>,
  texts: SpanTexts,
  detail: TraceReading['detail'],
): SubmittedSpan | null {
  const attributes = attributesOf(span.attributes);
  const name = storable(cutText(span.name, MAXIMUM_NAME_LENGTH));
  const meaning = meaningOf(name, attributes);
  const events = eventsOf(span);
  const failure = failureOf(span, meaning.errorType, events);
  const isRoot = ids.parentSpanId === null || (span.flags & REMOTE_PARENT) === REMOTE_PARENT;
  if (detail === 'genai' && !meaning.isGenAi && !isRoot && failure.status !== 'error') return null;
  return {
    ...meaning,
    path: `${path}.`,
    ...ids,
    isRoot,
    runId: runIdOf(resource, span.attributes),
    deploymentId: deploymentIdOf(resource),
    name,
    ...failure,
    timestamp: collected.timeOf(span.startTimeUnixNano, span.endTimeUnixNano),
    durationMs: durationOf(span),
    toolFingerprint: toolFingerprintOf(meaning, failure, attributes, events),
    ...texts.of(attributes, events, meaning.kind === 'tool'),
    size: 1,
  };
}

/** 0 if a time is missing, or if the clock was set back in between. */
function durationOf({ startTimeUnixNano: start, endTimeUnixNano: end }: Span): number {
  if (start === 0n || end <= start) return 0;
  const rounded = (end - start + NANOSECONDS_IN_A_MILLISECOND / 2n) / NANOSECONDS_IN_A_MILLISECOND;
  return Math.min(Number(rounded), MAXIMUM_DURATION_MS);
}
