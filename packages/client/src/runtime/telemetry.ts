import { randomUUID } from 'node:crypto';
import type { LogEntry, MetricEntry } from '../models.js';
import { unwrap } from '../service-client.js';
import type { BufferLimits } from './bounded-buffer.js';
import type { EventListener } from './runtime-events.js';
import type { ServiceLink } from './service-link.js';
import { TelemetryOutbox } from './telemetry-outbox.js';

const METRICS_LIMITS: BufferLimits = { entries: 10_000, bytes: 4 * 1024 * 1024 };
/** The service cuts a message at 64 KiB; more is not worth keeping. */
const LONGEST_MESSAGE = 64 * 1024;

/** Logs and metrics on their way to the service. */
export class Telemetry {
  private readonly logs: TelemetryOutbox<LogEntry>;
  private readonly metrics: TelemetryOutbox<MetricEntry>;

  constructor(link: ServiceLink, logLimits: BufferLimits, onEvent: EventListener) {
    const onRefused = (name: string) => (count: number, reason: string) => {
      const entries = count === 1 ? 'one entry' : `${count} entries`;
      const message = `${name}: ${entries} given up, because the service refuses: ${reason}`;
      onEvent({ level: 'warning', event: 'entry_refused', message });
    };
    this.logs = new TelemetryOutbox<LogEntry>({
      link,
      name: 'logs',
      limits: logLimits,
      sizeOf: sizeInJson,
      post: (logs) => {
        const batch = onceStored({ logs: [...logs] });
        return (service, signal) => unwrap(service.POST('/agents/logs', { ...batch, signal }));
      },
      ownerOf: (entry) => entry.deployment_id ?? '',
      noticesOf: (samples, counts) => samples.map((sample) => droppedNotice(sample, counts)),
      onRefused: onRefused('logs'),
    });
    this.metrics = new TelemetryOutbox<MetricEntry>({
      link,
      name: 'metrics',
      limits: METRICS_LIMITS,
      sizeOf: sizeInJson,
      post: (metrics) => {
        const batch = onceStored({ metrics: [...metrics] });
        return (service, signal) => unwrap(service.POST('/agents/metrics', { ...batch, signal }));
      },
      ownerOf: () => '',
      noticesOf: () => [],
      onRefused: onRefused('metrics'),
    });
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
    this.metrics.push({ timestamp: new Date().toISOString(), ...entry });
  }

  /** Sends until it is told to end. @throws KeyRefusedError, or the signal's reason */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.logs.run(signal), this.metrics.run(signal)]);
  }

  async flushed(): Promise<void> {
    await Promise.all([this.logs.flushed(), this.metrics.flushed()]);
  }
}

/**
 * One key and one text for all attempts at a batch: the service stores it once, whatever becomes of its replies. An
 * entry may hold an object that its sender changes meanwhile, and another text would be another batch.
 */
function onceStored<Body>(body: Body) {
  const text = JSON.stringify(body);
  return { body, bodySerializer: () => text, params: { header: { 'Idempotency-Key': randomUUID() } } };
}

/** Stands in the place of the lines that are missing, and has the time of the last of them. */
function droppedNotice(last: LogEntry, counts: ReadonlyMap<string, number>): LogEntry {
  const count = counts.get(last.deployment_id ?? '') ?? 0;
  return {
    level: 'warning',
    message: `${count} log ${count === 1 ? 'line' : 'lines'} dropped: more waited than can be kept`,
    metadata: { source: 'runtime', dropped: count },
    timestamp: last.timestamp,
    ...(last.deployment_id ? { deployment_id: last.deployment_id } : {}),
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
