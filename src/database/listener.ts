import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';

/** Interval of probes, in milliseconds. */
const PROBE_INTERVAL_MS = 250;
/**
 * Timeout of a probe, after which the connection counts as lost; milliseconds. It is long, so that a busy process does
 * not seem disconnected.
 */
const PROBE_TIMEOUT_MS = 3_000;
/** Time after the last probe for which cached values are trusted; milliseconds. */
const CURRENT_FOR_MS = 1_000;
const RECONNECT_DELAY_MS = 200;
/** Age of a reply up to which it proves that the database answers, and else the wait for the next one; milliseconds. */
const ANSWER_MS = 500;

type Handler = (payload: string) => void;

/**
 * Connection that receives notifications (LISTEN), and knows up to which time it has received all of them.
 *
 * A probe's reply proves that every notification committed before the probe has arrived: PostgreSQL sends a session its
 * pending notifications before it reports itself ready again. A cached value is therefore valid while {@link isCurrent}
 * is true, even if the network fails without closing the connection.
 */
export class Listener {
  private client: Client | undefined;
  private provenAt = 0;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly handlers = new Map<string, Handler[]>();
  private readonly resetHandlers: (() => void)[] = [];
  private readonly proofWaiters = new Set<() => void>();

  constructor(private readonly log: (message: string) => void) {}

  /** @param channel a constant of the code: it is part of `LISTEN` without escaping */
  on(channel: string, handler: Handler): void {
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /**
   * Registers a handler, which is called whenever notifications may have been missed: values cached before must be
   * dropped.
   */
  onReset(handler: () => void): void {
    this.resetHandlers.push(handler);
  }

  /** Returns true if the notifications of everything committed more than a second ago have arrived. */
  isCurrent(): boolean {
    return this.client !== undefined && performance.now() - this.provenAt < CURRENT_FOR_MS;
  }

  /** Returns true if the connection was alive at the last probe. */
  isConnected(): boolean {
    return this.client !== undefined;
  }

  /** Resolves to true if the database has answered within the last half second, or does within the next one. */
  async answers(): Promise<boolean> {
    if (performance.now() - this.provenAt < ANSWER_MS) return true;
    return Promise.race([
      new Promise<boolean>((resolve) => this.proofWaiters.add(() => resolve(true))),
      delay(ANSWER_MS, false, { ref: false }),
    ]);
  }

  /** Connects, and reconnects after each loss of the connection, until {@link stop}. */
  start(options: ClientConfig): void {
    void this.connect(options);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const client = this.client;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private async connect(options: ClientConfig): Promise<void> {
    if (this.stopped) return;
    const client = new Client({ ...options, query_timeout: PROBE_TIMEOUT_MS });
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.handlers.get(channel) ?? []) handler(payload ?? '');
    });
    try {
      await client.connect();
      for (const channel of this.handlers.keys()) await client.query(`LISTEN ${channel}`);
      await this.probe(client);
    } catch {
      return this.reconnect(client, options);
    }
    if (this.stopped) return void client.end().catch(() => undefined);
    // Cached values are dropped before they can be trusted again.
    for (const handler of this.resetHandlers) handler();
    this.client = client;
    client.once('end', () => this.reconnect(client, options));
    this.scheduleProbe(client, options);
  }

  private scheduleProbe(client: Client, options: ClientConfig): void {
    this.timer = setTimeout(() => {
      this.probe(client).then(
        () => this.scheduleProbe(client, options),
        () => this.reconnect(client, options),
      );
    }, PROBE_INTERVAL_MS);
  }

  private async probe(client: Client): Promise<void> {
    const askedAt = performance.now();
    await client.query('SELECT 1');
    this.provenAt = askedAt;
    for (const waiter of this.proofWaiters) waiter();
    this.proofWaiters.clear();
  }

  private reconnect(client: Client, options: ClientConfig): void {
    if (this.stopped || (this.client !== undefined && this.client !== client)) return;
    if (this.client === client) this.log('The connection that listens for notifications was lost');
    this.client = undefined;
    clearTimeout(this.timer);
    client.removeAllListeners('end');
    void client.end().catch(() => undefined);
    this.timer = setTimeout(() => void this.connect(options), RECONNECT_DELAY_MS);
  }
}
