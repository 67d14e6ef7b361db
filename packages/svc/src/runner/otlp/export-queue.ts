import { ServiceError } from '@agent-control-plane/client';
import {
  BoundedBuffer,
  type BufferLimits,
} from '@agent-control-plane/client/internal/runtime/bounded-buffer';
import type { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';
import { callOf, type Loss, type OtlpExport, refusal } from './otlp-export.js';

export const QUEUE_LIMITS: BufferLimits = { entries: 10_000, bytes: 16 * 1024 * 1024 };
const ONE: BufferLimits = { entries: 1, bytes: 0 };
/** Maximum time of a timer. */
const FOREVER_MS = 2 ** 31 - 1;

/** Exports of one signal on their way to the service, in their order. Past the limits the oldest are dropped. */
export class ExportQueue {
  private readonly waiting: BoundedBuffer<OtlpExport>;
  private dropped = 0;
  private isSending = false;
  private wake: () => void = () => undefined;
  private idle: (() => void)[] = [];

  constructor(limits: BufferLimits = QUEUE_LIMITS) {
    this.waiting = new BoundedBuffer<OtlpExport>(
      limits,
      ({ body }) => body.length,
      () => (this.dropped += 1),
    );
  }

  push(sent: OtlpExport): void {
    this.waiting.push(sent);
    this.wake();
  }

  /**
   * Sends until the signal aborts.
   *
   * @param onLoss is called with what the service does not get @throws KeyRefusedError, or the signal's reason
   */
  async run(link: ServiceLink, signal: AbortSignal, onLoss: (loss: Loss) => void): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      link.refused.throwIfAborted();
      const [next] = this.waiting.take(ONE);
      this.isSending = next !== undefined;
      if (next) await this.send(next, link, signal, onLoss);
      else await this.untilWoken(link, signal);
    }
  }

  /** Resolves when nothing waits. */
  async flushed(): Promise<void> {
    while (this.isSending || this.waiting.size > 0)
      await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private async send(
    next: OtlpExport,
    link: ServiceLink,
    signal: AbortSignal,
    onLoss: (loss: Loss) => void,
  ): Promise<void> {
    try {
      const loss = await link.retryTransient(callOf(next), signal);
      if (loss) onLoss(loss);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      onLoss(refusal(error));
    }
    // after the end of an outage, so that one line reports all of it
    const count = this.dropped;
    this.dropped = 0;
    if (count > 0) onLoss({ kind: 'dropped', count, reason: 'more waited than can be kept' });
  }

  private async untilWoken(link: ServiceLink, signal: AbortSignal): Promise<void> {
    for (const resolve of this.idle.splice(0)) resolve();
    const woken = new AbortController();
    const end = () => woken.abort();
    this.wake = end;
    signal.addEventListener('abort', end);
    await link.pause(FOREVER_MS, woken.signal);
    signal.removeEventListener('abort', end);
  }
}
