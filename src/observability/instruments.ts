import { Counter, Histogram, Registry } from 'prom-client';

/** The counters and histograms of this process, whichever part of the service adds to them. */
export const instruments = new Registry();

const registers = [instruments];

export const refusedRequests = new Counter({
  name: 'control_plane_refused_requests_total',
  help: 'Requests refused because all places of their kind, or those of one address, were taken',
  labelNames: ['kind', 'reason'],
  registers,
});

export const groupSizes = new Histogram({
  name: 'control_plane_group_size',
  help: 'Items that were written or read together in one statement',
  labelNames: ['group'],
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000],
  registers,
});

type CacheReads = Record<'hit' | 'miss' | 'bypass', number>;

const cacheReads = new Map<string, CacheReads>();

/**
 * The counts of a cache's reads so far, for the cache to increase. Two reads belong to each poll, and prom-client takes 0.2 us
 * to find a counter by its labels, so it gets the counts when the metrics are collected.
 */
export function readsOfCache(cache: string): CacheReads {
  const reads = cacheReads.get(cache) ?? { hit: 0, miss: 0, bypass: 0 };
  cacheReads.set(cache, reads);
  return reads;
}

new Counter({
  name: 'control_plane_cache_reads_total',
  help: 'Reads of the caches of an instance; bypass: its LISTEN connection was not known to be alive',
  labelNames: ['cache', 'outcome'],
  registers,
  collect() {
    this.reset();
    for (const [cache, reads] of cacheReads)
      for (const [outcome, count] of Object.entries(reads))
        if (count > 0) this.inc({ cache, outcome }, count);
  },
});

export const settledCommands = new Counter({
  name: 'control_plane_commands_settled_total',
  help: 'Commands that were settled by this instance, by the state that they got',
  labelNames: ['state'],
  registers,
});

export const webhookAttempts = new Counter({
  name: 'control_plane_webhook_attempts_total',
  help: 'Attempts to deliver a message to a webhook',
  labelNames: ['outcome'],
  registers,
});
