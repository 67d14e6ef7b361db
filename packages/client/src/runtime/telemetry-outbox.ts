import { type FieldError, ServiceError } from '../service-errors.js';
import { BoundedBuffer, type BufferLimits } from './bounded-buffer.js';
import type { ServiceCall, ServiceLink } from './service-link.js';

/** Maximum size of a batch: the service accepts a thousand entries and a body of a MiB at once. */
const BATCH: BufferLimits = { entries: 1_000, bytes: 512 * 1024 };
/**
 * Statuses of requests that may be refused because of a part, such as an entry of a batch: malformed (for example
 * nested too deeply), too large, invalid.
 */
export const REFUSED_FOR_CONTENT = [400, 413, 422];
/** Maximum time for which entries are collected before they are sent; milliseconds. */
const GATHERING_MS = 300;

export interface OutboxOptions<Entry> {
  readonly link: ServiceLink;
  /** The name of the batch in the request: `logs`, `metrics`. */
  readonly name: string;
  readonly limits: BufferLimits;
  readonly sizeOf: (entry: Entry) => number;
  /** Makes the call for a batch; it is made once for each batch and called until it succeeds. */
  readonly post: (batch: readonly Entry[]) => ServiceCall<unknown>;
  /** Entries that replace those dropped since the last batch; they are sent before the remaining ones. */
  readonly noticesOf: (dropped: readonly Entry[], counts: ReadonlyMap<string, number>) => Entry[];
  readonly ownerOf: (entry: Entry) => string;
  /** Called with the entries that are given up. */
  readonly onRefused: (entries: readonly Entry[], reason: string) => void;
}

/**
 * Sends entries in batches and in their order, each until the service has accepted it. During an outage they wait,
 * within limits; an entry that the service refuses does not delay the others.
 */
export class TelemetryOutbox<Entry> {
  private readonly buffer: BoundedBuffer<Entry>;
  private readonly dropped = new Map<string, number>();
  /** One dropped entry of each owner, from which its notice is made. */
  private readonly samples = new Map<string, Entry>();
  private wake: () => void = () => undefined;
  private isSending = false;
  private idle: (() => void)[] = [];

  constructor(private readonly options: OutboxOptions<Entry>) {
    this.buffer = new BoundedBuffer(options.limits, options.sizeOf, (entry) => {
      const owner = options.ownerOf(entry);
      this.dropped.set(owner, (this.dropped.get(owner) ?? 0) + 1);
      this.samples.set(owner, entry);
    });
  }

  push(entry: Entry): void {
    this.buffer.push(entry);
    if (this.buffer.size === 1 || this.isFull()) this.wake();
  }

  /** Sends until the signal aborts. @throws KeyRefusedError, or the signal's reason */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.untilWorthIt(signal);
      signal.throwIfAborted();
      // after a refused key pauses end at once, and this would be a tight loop
      this.options.link.refused.throwIfAborted();
      this.isSending = true;
      for (let batch = this.nextBatch(); batch.length > 0; batch = this.nextBatch())
        await this.send(batch, signal);
      this.isSending = false;
      for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  /** Resolves when all entries have been sent. */
  async flushed(): Promise<void> {
    this.flushing = true;
    this.wake();
    while (this.isSending || this.buffer.size > 0)
      await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private flushing = false;

  private isFull(): boolean {
    return this.buffer.size >= BATCH.entries || this.buffer.sizeInBytes >= BATCH.bytes;
  }

  private async untilWorthIt(signal: AbortSignal): Promise<void> {
    if (this.buffer.size === 0) await this.untilWoken(signal);
    if (!this.flushing && !this.isFull()) await this.untilWoken(signal, GATHERING_MS);
  }

  private async untilWoken(signal: AbortSignal, ms?: number): Promise<void> {
    const woken = new AbortController();
    const end = () => woken.abort();
    this.wake = end;
    signal.addEventListener('abort', end);
    await this.options.link.pause(ms ?? 2 ** 31 - 1, woken.signal);
    signal.removeEventListener('abort', end);
  }

  private nextBatch(): Entry[] {
    const notices = this.dropped.size
      ? this.options.noticesOf([...this.samples.values()], new Map(this.dropped))
      : [];
    this.dropped.clear();
    this.samples.clear();
    const room = { ...BATCH, entries: Math.max(1, BATCH.entries - notices.length) };
    return [...notices, ...this.buffer.take(room)];
  }

  private async send(batch: readonly Entry[], signal: AbortSignal): Promise<void> {
    try {
      await this.options.link.retryTransient(this.options.post(batch), signal);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await this.sendWithoutRefused(batch, error, signal);
    }
  }

  /**
   * The service accepts a batch as a whole or not at all, and names refused entries by index. If it names none, the
   * batch is halved, down to the refused entry. A batch that is refused because of its sender is given up, because each
   * part would be refused as well.
   */
  private async sendWithoutRefused(
    batch: readonly Entry[],
    error: ServiceError,
    signal: AbortSignal,
  ): Promise<void> {
    const refused = refusedIndexes(error.errors, this.options.name, batch.length);
    if (refused.size > 0 && batch.length > 1) {
      this.options.onRefused(
        batch.filter((_, index) => refused.has(index)),
        error.detail,
      );
      const rest = batch.filter((_, index) => !refused.has(index));
      if (rest.length > 0) await this.send(rest, signal);
    } else if (!REFUSED_FOR_CONTENT.includes(error.status) || batch.length === 1) {
      this.options.onRefused(batch, error.detail);
    } else {
      const half = Math.ceil(batch.length / 2);
      await this.send(batch.slice(0, half), signal);
      await this.send(batch.slice(half), signal);
    }
  }
}

/** The field `logs.3.level` is one of the fourth entry. */
export function refusedIndexes(errors: readonly FieldError[], name: string, length: number): Set<number> {
  const indexes = errors.map(({ field }) => {
    const [list, index = ''] = field?.split('.') ?? [];
    return list === name && index !== '' ? Number(index) : NaN;
  });
  return new Set(indexes.filter((index) => index < length));
}
