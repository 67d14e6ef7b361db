import type { Client, ClientConfig } from 'pg';
import { PrimaryClient } from '../config/primary-client.js';
import { answerInTime } from './answer-in-time.js';
import { isDatabaseUnavailable, isServerFull } from './database-errors.js';
import { requirePrimary } from './pooled-client.js';

/** How often the connection is probed, in milliseconds. */
const PROBE_INTERVAL_MS = 250;
/** A probe that takes longer counts as a lost connection; milliseconds. A busy process must not look like one. */
const PROBE_TIMEOUT_MS = 3_000;
const RECONNECT_DELAY_MS = 200;
/** A reply of the last half second proves that the database answers; else the next one is waited for as long. */
const ANSWER_MS = 500;

/** A connection that is probed four times a second, and made again whenever it is lost or leads to a standby. */
export class ProbedConnection {
  /** When the last probe was sent that has been answered; milliseconds of `performance.now()`. */
  protected provenAt = 0;
  private client: Client | undefined;
  private away = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly proofWaiters = new Set<() => void>();

  /** @param lost is called when the connection was lost */
  constructor(private readonly lost: () => void) {}

  /** Returns true if the connection stands, according to the last probe. */
  isConnected(): boolean {
    return this.client !== undefined;
  }

  /**
   * Returns true if the server gave no answer to the last attempt: it refuses, hangs, starts, or is a standby. False while a
   * connection that was lost is made again, and where the server is there but has no room for it.
   */
  isAway(): boolean {
    return this.away;
  }

  /** Resolves to true if the database has answered within the last half second, or does within the next one. */
  async answers(): Promise<boolean> {
    if (!this.isConnected()) return false;
    if (performance.now() - this.provenAt < ANSWER_MS) return true;
    const proof = new Promise<boolean>((resolve) => this.proofWaiters.add(() => resolve(true)));
    return answerInTime(proof, ANSWER_MS, () => false);
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

  /** Does with a new connection what has to be done before its first probe. */
  protected prepare(_client: Client): Promise<void> {
    return Promise.resolve();
  }

  /** Is called when a connection stands, before {@link isConnected} says so. */
  protected connected(): void {}

  /**
   * Is called with each answer.
   *
   * @param now the server's time, in milliseconds since 1970
   * @param askedAt milliseconds of `performance.now()`
   */
  protected answered(_now: number, _askedAt: number): void {}

  private async connect(options: ClientConfig): Promise<void> {
    if (this.stopped) return;
    const client = new PrimaryClient(options);
    client.on('error', () => undefined);
    try {
      await client.connect();
      await answerInTime(this.prepare(client), PROBE_TIMEOUT_MS, timedOut);
      await this.probe(client);
    } catch (error) {
      this.away = isDatabaseUnavailable(error) && !isServerFull(error);
      return this.reconnect(client, options);
    }
    if (this.stopped) return void client.end().catch(() => undefined);
    this.connected();
    this.client = client;
    this.away = false;
    client.once('end', () => this.reconnect(client, options));
    this.scheduleProbe(client, options);
  }

  private scheduleProbe(client: Client, options: ClientConfig): void {
    this.timer = setTimeout(() => {
      const askedAt = performance.now();
      this.probe(client).then(
        () => this.scheduleProbe(client, options),
        () => {
          // A connection that only was lost is made again first.
          this.away = performance.now() - askedAt >= PROBE_TIMEOUT_MS;
          this.reconnect(client, options);
        },
      );
    }, PROBE_INTERVAL_MS);
  }

  private async probe(client: Client): Promise<void> {
    const askedAt = performance.now();
    const now = await answerInTime(requirePrimary(client), PROBE_TIMEOUT_MS, timedOut);
    this.provenAt = askedAt;
    this.answered(now, askedAt);
    for (const waiter of this.proofWaiters) waiter();
    this.proofWaiters.clear();
  }

  private reconnect(client: Client, options: ClientConfig): void {
    if (this.stopped || (this.client !== undefined && this.client !== client)) return;
    if (this.client === client) this.lost();
    this.client = undefined;
    clearTimeout(this.timer);
    client.removeAllListeners('end');
    void client.end().catch(() => undefined);
    this.timer = setTimeout(() => void this.connect(options), RECONNECT_DELAY_MS);
  }
}

function timedOut(): never {
  // The message is that of `pg` for its own timeout, which does not wait for an answer that has arrived.
  throw new Error('Query read timeout');
}
