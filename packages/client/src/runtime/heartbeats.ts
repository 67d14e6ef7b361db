import type { components } from '../generated/schema.js';
import { unwrap } from '../service-client.js';
import { retryAfterMs, type ServiceLink } from './service-link.js';

export type Heartbeat = components['schemas']['HeartbeatRequest'];
export type HeartbeatReply = components['schemas']['HeartbeatResponse'];

const DEFAULT_INTERVAL_SECONDS = 30;
const LONGEST_INTERVAL_SECONDS = 3_600;
/** Time in which changes are collected for one heartbeat. */
const GATHERING_MS = 100;

/** Sends heartbeats regularly, and at once after a change. */
export class Heartbeats {
  private intervalMs = DEFAULT_INTERVAL_SECONDS * 1_000;
  private hasNews = false;
  /** Time before which no heartbeat may be sent, after a refusal by the service; by `performance.now()`. */
  private notBefore = 0;
  private wake: () => void = () => undefined;

  constructor(
    private readonly link: ServiceLink,
    private readonly compose: () => Heartbeat,
    private readonly onReply: (reply: HeartbeatReply, sent: Heartbeat) => void,
    private readonly random: () => number = Math.random,
  ) {}

  /** Sets the interval from a reply; an invalid one is ignored. */
  follow(seconds: unknown): void {
    if (typeof seconds !== 'number' || !(seconds > 0)) return;
    this.intervalMs = Math.min(seconds, LONGEST_INTERVAL_SECONDS) * 1_000;
  }

  /** Requests a heartbeat before the end of the interval, after a change. */
  soon(): void {
    this.hasNews = true;
    this.wake();
  }

  /** @param before work that precedes the next heartbeat @throws KeyRefusedError, or the signal's reason */
  async run(before: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (;;) {
      await before();
      this.hasNews = false;
      await this.link.retryForever(
        (service, ended) => this.send(service, this.compose(), ended),
        signal,
        undefined,
        // a pause of several intervals would make the agent count as lost
        this.intervalMs,
      );
      await this.untilDue(signal);
    }
  }

  /**
   * Sends one more heartbeat, until it is answered or the signal aborts. It waits for the end of a `Retry-After` first,
   * so that agents which end because the service is overloaded don't add to the load.
   */
  async last(beat: Heartbeat, signal: AbortSignal): Promise<void> {
    await this.link.pause(Math.max(0, this.notBefore - performance.now()), signal);
    await this.link.retryTransient((service, ended) => this.send(service, beat, ended), signal);
  }

  private async send(
    service: Parameters<Parameters<ServiceLink['retryTransient']>[0]>[0],
    body: Heartbeat,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const reply = await unwrap(service.POST('/agents/heartbeat', { body, signal }));
      this.follow(reply.heartbeat_interval_seconds);
      this.onReply(reply, body);
    } catch (error) {
      this.notBefore = performance.now() + retryAfterMs(error);
      throw error;
    }
  }

  /** Waits until the next heartbeat, with jitter, but never longer than the assigned interval. */
  private async untilDue(signal: AbortSignal): Promise<void> {
    const due = new AbortController();
    const end = () => due.abort();
    this.wake = end;
    signal.addEventListener('abort', end);
    if (!this.hasNews) await this.link.pause(this.intervalMs * (0.85 + 0.15 * this.random()), due.signal);
    signal.removeEventListener('abort', end);
    if (this.hasNews) await this.link.pause(GATHERING_MS, signal);
  }
}
