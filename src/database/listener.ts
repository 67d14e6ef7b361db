import type { Client } from 'pg';
import { ID_CLOCK } from './new-id.js';
import { ProbedConnection } from './probed-connection.js';

/** Cached values are trusted for so long after the last probe; milliseconds. */
const CURRENT_FOR_MS = 1_000;

type Handler = (payload: string) => void;

/**
 * Connection that receives notifications (LISTEN), and knows up to which time it has received all of them.
 *
 * A probe's reply proves that every notification committed before the probe has arrived: PostgreSQL sends a session
 * its pending notifications before it reports itself ready again. A cached value is therefore valid for as long as
 * {@link isCurrent} holds, even when the network fails without closing the connection. The reply also contains the
 * database's time, which new ids have.
 */
export class Listener extends ProbedConnection {
  private readonly handlers = new Map<string, Handler[]>();
  private readonly resetHandlers: (() => void)[] = [];

  /** @param options.tellsTime false: new ids have the time of another server */
  constructor(
    log: (message: string) => void,
    private readonly options: { readonly tellsTime: boolean },
  ) {
    super(() => log('The connection for notifications (LISTEN) was lost'));
  }

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
    return this.isConnected() && performance.now() - this.provenAt < CURRENT_FOR_MS;
  }

  protected override async prepare(client: Client): Promise<void> {
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.handlers.get(channel) ?? []) handler(payload ?? '');
    });
    for (const channel of this.handlers.keys()) await client.query(`LISTEN ${channel}`);
  }

  protected override answered(now: number, askedAt: number): void {
    if (this.options.tellsTime) ID_CLOCK.note(now, askedAt);
  }

  protected override connected(): void {
    // Cached values are dropped before anyone may trust them again.
    for (const handler of this.resetHandlers) handler();
  }
}
