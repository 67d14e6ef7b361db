import { setTimeout as delay } from 'node:timers/promises';
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
  /**
   * True if the server gave no answer to the last attempt: it refuses, hangs, starts, or is a standby. False while a
   * connection that was lost is made again, and where the server is there but has no room for it.
   */
  isAway = false;
  private client: Client | undefined;
  private readonly stopping = new AbortController();
  private readonly attempted = Promise.withResolvers<void>();
  /** The answer to the next probe. */
  private proof = Promise.withResolvers<boolean>();

  /** @param lost is called when the connection was lost */
  constructor(private readonly lost: () => void) {}

  /** Returns true if the connection stands, according to the last probe. */
  isConnected(): boolean {
    return this.client !== undefined;
  }

  /** Resolves to true if the database has answered within the last half second, or does within the next one. */
  async answers(): Promise<boolean> {
    if (!this.isConnected()) return false;
    if (performance.now() - this.provenAt < ANSWER_MS) return true;
    return answerInTime(this.proof.promise, ANSWER_MS, () => false);
  }

  /** Connects, and again whenever the connection is lost, until {@link stop}. Resolves after the first attempt. */
  start(options: ClientConfig): Promise<void> {
    void this.run(options);
    return this.attempted.promise;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
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

  private async run(options: ClientConfig): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const client = new PrimaryClient(options);
      client.on('error', () => undefined);
      try {
        await this.use(client);
      } catch (error) {
        // A connection that only was lost is made again first.
        this.isAway = this.client
          ? error instanceof ProbeTimeoutError
          : isDatabaseUnavailable(error) && !isServerFull(error);
      }
      this.attempted.resolve();
      if (this.client) this.lost();
      this.client = undefined;
      void client.end().catch(() => undefined);
      await delay(RECONNECT_DELAY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves if this is stopped meanwhile; throws when the connection is lost. */
  private async use(client: Client): Promise<void> {
    await client.connect();
    await answerInTime(this.prepare(client), PROBE_TIMEOUT_MS, timedOut);
    await this.probe(client);
    if (this.stopping.signal.aborted) return;
    this.connected();
    this.client = client;
    this.isAway = false;
    this.attempted.resolve();
    const ended = new AbortController();
    client.once('end', () => ended.abort());
    for (;;) {
      await delay(PROBE_INTERVAL_MS, undefined, { signal: ended.signal });
      await this.probe(client);
    }
  }

  private async probe(client: Client): Promise<void> {
    const askedAt = performance.now();
    const now = await answerInTime(requirePrimary(client), PROBE_TIMEOUT_MS, timedOut);
    this.provenAt = askedAt;
    this.answered(now, askedAt);
    this.proof.resolve(true);
    this.proof = Promise.withResolvers();
  }
}

class ProbeTimeoutError extends Error {}

function timedOut(): never {
  // The message is that of `pg` for its own timeout, which does not wait for an answer that has arrived.
  throw new ProbeTimeoutError('Query read timeout');
}
