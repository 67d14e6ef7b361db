import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';

/** How often the connection is probed, in milliseconds. */
const PROBE_INTERVAL_MS = 250;
/** A probe that takes longer counts as a lost connection; milliseconds. A busy process must not look like one. */
const PROBE_TIMEOUT_MS = 3_000;
/** Cached values are trusted for so long after the last probe; milliseconds. */
const CURRENT_FOR_MS = 1_000;
const RECONNECT_DELAY_MS = 200;
/** A reply of the last half second proves that the database answers; else the next one is waited for as long. */
const ANSWER_MS = 500;

type Handler = (payload: string) => void;

/**
 * Connection that receives notifications (LISTEN), and knows until when it has received all of them.
 *
 * A probe's reply proves that every notification committed before the probe has arrived: PostgreSQL sends a session its
 * pending notifications before it reports itself ready again. A cached value is therefore valid for as long as
 * {@link isCurrent} holds, even when the network fails without closing the connection.
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

  /** @param channel a constant of the code: it is put into `LISTEN` as it is */
  on(channel: string, handler: Handler): void {
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /** Called whenever notifications may have been missed: values cached before must be dropped. */
  onReset(handler: () => void): void {
    this.resetHandlers.push(handler);
  }

  /** Returns true if the notifications of everything committed more than a second ago have arrived. */
  isCurrent(): boolean {
    return this.client !== undefined && performance.now() - this.provenAt < CURRENT_FOR_MS;
  }

  /** Returns true if the connection stands, as far as the last probe tells. */
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

  /** Connects, and connects again whenever the connection is lost, until {@link stop}. */
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
    // Cached values are dropped before anyone may trust them again.
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
