import { randomUUID } from 'node:crypto';
import type { LogEntry, MetricEntry } from '../models.js';
import { unwrap } from '../service-client.js';
import { wellFormedJson } from '../well-formed-json.js';
import type { BufferLimits } from './bounded-buffer.js';
import { finiteOf } from './finite.js';
import { messageOf, UnexpectedReplyError } from './runtime-errors.js';
import { type EndedSpan, otlpSpanOf, traceRequestOf } from './otlp-span.js';
import type { Outbox } from './outbox.js';
import type { EventListener } from './runtime-events.js';
import type { AgentRuntimeOptions } from './runtime-options.js';
import type { ServiceCall, ServiceLink } from './service-link.js';
import { TelemetryOutbox } from './telemetry-outbox.js';

const LOG_LIMITS: BufferLimits = { entries: 50_000, bytes: 16 * 1024 * 1024 };
const METRICS_LIMITS: BufferLimits = { entries: 10_000, bytes: 4 * 1024 * 1024 };
const SPAN_LIMITS: BufferLimits = { entries: 10_000, bytes: 8 * 1024 * 1024 };
/** Maximum length of a message; the service truncates messages at 64 KiB. */
const LONGEST_MESSAGE = 64 * 1024;

/** Queues of logs, metrics and spans for the service, and of what else a program sends with them. */
export class Telemetry {
  private readonly logs: TelemetryOutbox<LogEntry>;
  private readonly metrics: TelemetryOutbox<MetricEntry>;

  /** Spans as JSON. */
  private readonly spans: TelemetryOutbox<string>;
  private readonly outboxes: readonly Outbox[];

  private hasToldOfNumbers = false;

  constructor(
    link: ServiceLink,
    { logBuffer = LOG_LIMITS, outbox }: AgentRuntimeOptions,
    private readonly onEvent: EventListener,
  ) {
    this.logs = new TelemetryOutbox<LogEntry>({
      link,
      name: 'logs',
      limits: logBuffer,
      sizeOf: sizeInJson,
      post: (logs) => {
        const batch = onceStored({ logs: [...logs] });
        return stored((service, signal) => unwrap(service.POST('/agents/logs', { ...batch, signal })));
      },
      ownerOf: (entry) => entry.deployment_id ?? '',
      noticesOf: (samples, counts) => samples.map((sample) => droppedNotice(sample, counts)),
      onRefused: (logs, reason) => this.giveUpLogs(logs, reason),
    });
    this.metrics = new TelemetryOutbox<MetricEntry>({
      link,
      name: 'metrics',
      limits: METRICS_LIMITS,
      sizeOf: sizeInJson,
      post: (metrics) => {
        const batch = onceStored({ metrics: [...metrics] });
        return stored((service, signal) => unwrap(service.POST('/agents/metrics', { ...batch, signal })));
      },
      ownerOf: () => '',
      noticesOf: () => [],
      onRefused: (metrics, reason) => this.tellOfRefusal('metrics', metrics.length, reason),
    });
    this.spans = new TelemetryOutbox<string>({
      link,
      name: 'spans',
      limits: SPAN_LIMITS,
      sizeOf: (span) => Buffer.byteLength(span),
      post: (spans) => this.exportOf(spans),
      ownerOf: () => '',
      noticesOf: (_, counts) => {
        this.tellOfDropped([...counts.values()].reduce((sum, count) => sum + count, 0));
        return [];
      },
      onRefused: (spans, reason) => this.tellOfRefusal('spans', spans.length, reason),
    });
    this.outboxes = [this.logs, this.metrics, this.spans, ...(outbox ? [outbox(link)] : [])];
  }

  log(entry: LogEntry): void {
    const { message, metadata, ...rest } = entry;
    this.logs.push({
      timestamp: new Date().toISOString(),
      ...rest,
      message: String(message).slice(0, LONGEST_MESSAGE),
      ...(metadata && isSerializable(metadata) ? { metadata } : {}),
    });
  }

  metric(entry: MetricEntry): void {
    const { value, left } = finiteOf(entry);
    if (left.length > 0) this.tellOfNumbers(left);
    try {
      this.metrics.push({ timestamp: new Date().toISOString(), ...(value as MetricEntry) });
    } catch (error) {
      this.tellOfRefusal('metrics', 1, messageOf(error));
    }
  }

  span(span: EndedSpan): void {
    this.spans.push(wellFormedJson(otlpSpanOf(span)));
  }

  /** The service stores a span once, however often it comes. */
  private exportOf(spans: readonly string[]): ServiceCall<void> {
    const text = traceRequestOf(spans);
    const request = { body: {}, bodySerializer: () => text };
    return async (service, signal) => {
      const reply = await unwrap(service.POST('/otlp/v1/traces', { ...request, signal }));
      const { rejectedSpans = 0, errorMessage = '' } = reply?.partialSuccess ?? {};
      if (Number(rejectedSpans) > 0) this.tellOfRefusal('spans', Number(rejectedSpans), errorMessage);
    };
  }

  private tellOfDropped(count: number): void {
    const message = `${count} ${count === 1 ? 'span' : 'spans'} dropped: more waited than can be kept`;
    this.log({ level: 'warning', message, metadata: { source: 'runtime', dropped: count } });
  }

  /** Adds a log line about refused ones; none about a refused line of this kind. */
  private giveUpLogs(logs: readonly LogEntry[], reason: string): void {
    this.tellOfRefusal('logs', logs.length, reason);
    const last = logs.findLast(
      (it) => (it.metadata as { source?: unknown } | undefined)?.source !== 'runtime',
    );
    if (!last) return;
    const what = logs.length === 1 ? 'One log line is' : `${logs.length} log lines are`;
    this.logs.push(notice(last, `${what} missing: the service does not take it (${reason})`, logs.length));
  }

  private tellOfRefusal(name: string, count: number, reason: string): void {
    const entries = count === 1 ? 'one entry' : `${count} entries`;
    const message = `${name}: ${entries} given up, because the service refuses: ${reason}`;
    this.onEvent({ level: 'warning', event: 'entry_refused', message });
  }

  /** Reported once, because such a measurement repeats. */
  private tellOfNumbers(names: readonly string[]): void {
    if (this.hasToldOfNumbers) return;
    this.hasToldOfNumbers = true;
    const message = `metrics: ${names.join(', ')} left out, because JSON has no NaN and no infinity`;
    this.onEvent({ level: 'warning', event: 'value_left_out', message });
  }

  /** Sends until the signal aborts. @throws KeyRefusedError, or the signal's reason */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.outboxes.map((outbox) => outbox.run(signal)));
  }

  /** Logs come last, because a line may report data that another outbox could not send. */
  async flushed(): Promise<void> {
    await Promise.all(this.outboxes.map((outbox) => outbox.flushed()));
    await this.logs.flushed();
  }
}

/**
 * One key and one text for all attempts of a batch: the service stores it once, even if replies are lost. The text is
 * made once, because an entry may contain an object that its sender changes later, and another text would be another
 * batch.
 */
function onceStored<Body>(body: Body) {
  const text = wellFormedJson(body);
  return { body, bodySerializer: () => text, params: { header: { 'Idempotency-Key': randomUUID() } } };
}

/** A log line about dropped ones, with the time of the last of them. */
function droppedNotice(last: LogEntry, counts: ReadonlyMap<string, number>): LogEntry {
  const count = counts.get(last.deployment_id ?? '') ?? 0;
  const lines = count === 1 ? 'line' : 'lines';
  return notice(last, `${count} log ${lines} dropped: more waited than can be kept`, count);
}

function notice(last: LogEntry, message: string, count: number): LogEntry {
  return {
    level: 'warning',
    message,
    metadata: { source: 'runtime', dropped: count },
    timestamp: last.timestamp,
    ...(last.deployment_id ? { deployment_id: last.deployment_id } : {}),
  };
}

/** A proxy's page may have the status 200 and be JSON: only the service returns the number of stored entries. */
function stored(call: ServiceCall<{ readonly accepted?: unknown }>): ServiceCall<unknown> {
  return async (service, signal) => {
    const reply = await call(service, signal);
    if (typeof reply?.accepted !== 'number')
      throw new UnexpectedReplyError('The reply does not say how many entries are stored');
  };
}

function sizeInJson(entry: unknown): number {
  return Buffer.byteLength(JSON.stringify(entry));
}

function isSerializable(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
