import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { instruments } from '../observability/instruments.js';
import type { Database } from './database.js';
import { type PreparedStatement, rowsOf } from './sql.js';
import { onCommit, type Transaction } from './transaction.js';

const cacheReads = new Counter({
  name: 'control_plane_cache_reads_total',
  help: 'Cache reads of this instance; bypass: read from the database, because the LISTEN connection may be down',
  labelNames: ['cache', 'outcome'],
  registers: [instruments],
});

/** The channel for changes; the payload is the cache's kind and the key. */
export const REVOKED_CHANNEL = 'revoked';
/** Sends a notification for each payload. By hand: TypeORM has no notifications. */
const NOTIFY: PreparedStatement = {
  name: 'notify_all',
  text: 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload',
};
const MAXIMUM_ENTRIES = 50_000;

/**
 * State of the LISTEN connection that an entry needs to be trusted. `proven`: the notifications of everything committed
 * more than a second ago have certainly arrived; a busy process can't always prove that, and then reads from the
 * database. `connected`: the connection is not known to be lost, which takes some three seconds when the network fails
 * silently.
 */
type Trust = 'proven' | 'connected';

/** Parameters of `pg_notify`. */
export interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/**
 * Cache of this instance for values read from the database (the holder of a credential, an empty queue). A change on any
 * instance notifies all of them, and each drops the entry. An entry is trusted only while the LISTEN connection is known
 * to be alive.
 */
export class RevocableCache<Value> {
  private readonly entries: LRUCache<string, { readonly value: Value }>;
  private readonly handlers: ((key: string) => void)[] = [];
  private readonly resetHandlers: (() => void)[] = [];
  /** The keys that are being loaded. A revocation removes its key, so that a value from before it is not cached. */
  private readonly loads = new Map<string, symbol>();

  /**
   * @param kind distinguishes the caches on the shared channel
   * @param ttlMs maximum time for which an entry is used, in milliseconds
   * @param trust `proven` for changes that must take effect within a second
   */
  constructor(
    private readonly database: Database,
    private readonly kind: string,
    private readonly ttlMs: number,
    private readonly trust: Trust,
  ) {
    // `max` would allocate for all entries at once: 2 MB and 5 ms for each cache of a process that has just started
    this.entries = new LRUCache({ maxSize: MAXIMUM_ENTRIES, sizeCalculation: () => 1, ttl: ttlMs });
    database.listener.on(REVOKED_CHANNEL, (payload) => this.onNotification(payload));
    database.listener.onReset(() => this.forgetAll());
  }

  /**
   * The cached value at once, else a promise of the value from `load`. Each call of an agent uses it: a promise for a
   * cached value would create five more.
   *
   * @param ttlOf milliseconds for which a loaded value may be cached (an expiry, or a short time for a miss); absent:
   * the cache's own limit
   */
  get(key: string, load: () => Promise<Value>, ttlOf?: (value: Value) => number): Value | Promise<Value> {
    const known = this.lookUp(key);
    if (known) return known.value;
    return this.isTrusted() ? this.load(key, load, ttlOf) : load();
  }

  /** The cached value, without a load. */
  peek(key: string): Value | undefined {
    return this.lookUp(key)?.value;
  }

  /** Registers a handler, which is called with each revoked key, on any instance; possibly more than once. */
  onRevoked(handler: (key: string) => void): void {
    this.handlers.push(handler);
  }

  /** Registers a handler, which is called when revocations may have been missed and the cache was cleared. */
  onReset(handler: () => void): void {
    this.resetHandlers.push(handler);
  }

  /** Announces, with the commit, that the values of these keys have changed. */
  async revoke(tx: Transaction, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const payloads = keys.map((key) => this.notificationOf(tx, key).payload);
    await rowsOf(tx, NOTIFY, [REVOKED_CHANNEL, payloads]);
  }

  /** The notification of {@link revoke}, for a caller whose own statement in the transaction sends it. */
  notificationOf(tx: Transaction, key: string): Notification {
    onCommit(tx, () => this.forget(key));
    return { channel: REVOKED_CHANNEL, payload: this.payloadOf(key) };
  }

  private async load(
    key: string,
    load: () => Promise<Value>,
    ttlOf?: (value: Value) => number,
  ): Promise<Value> {
    const underWay = this.loads.get(key) ?? Symbol(key);
    this.loads.set(key, underWay);
    try {
      const value = await load();
      const ttl = Math.min(ttlOf?.(value) ?? this.ttlMs, this.ttlMs);
      if (this.loads.get(key) === underWay && ttl > 0) this.entries.set(key, { value }, { ttl });
      return value;
    } finally {
      if (this.loads.get(key) === underWay) this.loads.delete(key);
    }
  }

  private lookUp(key: string): { readonly value: Value } | undefined {
    const isTrusted = this.isTrusted();
    const known = isTrusted ? this.entries.get(key) : undefined;
    cacheReads.inc({ cache: this.kind, outcome: known ? 'hit' : isTrusted ? 'miss' : 'bypass' });
    return known;
  }

  private isTrusted(): boolean {
    const { listener } = this.database;
    return this.trust === 'proven' ? listener.isCurrent() : listener.isConnected();
  }

  private payloadOf(key: string): string {
    return `${this.kind}:${key}`;
  }

  private onNotification(payload: string): void {
    const prefix = this.payloadOf('');
    if (payload.startsWith(prefix)) this.forget(payload.slice(prefix.length));
  }

  private forget(key: string): void {
    this.entries.delete(key);
    this.loads.delete(key);
    for (const handler of this.handlers) handler(key);
  }

  private forgetAll(): void {
    this.entries.clear();
    this.loads.clear();
    for (const handler of this.resetHandlers) handler();
  }
}
