import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { onCommit, type Transaction } from '../database/transaction.js';
import { instruments } from '../observability/instruments.js';
import { ModelPricesService } from './model-prices.service.js';
import { type CountedUsage, UsageCountingRepository } from './usage-counting.repository.js';
import { MICROS_OF_A_DOLLAR } from '../runs/usage.response.js';
import type { UsageBuckets } from '../runs/usage.types.js';
import { UsageSourcesService } from './usage-sources.service.js';
import type { TokenBucket, UsageEntry, UsageSource } from './usage.types.js';
import { summedUp } from './usage-sums.js';

const uncostedCalls = new Counter({
  name: 'control_plane_usage_uncosted_calls_total',
  help: 'Model calls counted by this instance whose cost is unknown',
  registers: [instruments],
});

const usedDollars = new Counter({
  name: 'control_plane_usage_cost_dollars_total',
  help: 'Cost of models counted by this instance, without calls whose cost is unknown',
  registers: [instruments],
});

const usedTokens = new Counter({
  name: 'control_plane_usage_tokens_total',
  help: 'Tokens of models counted by this instance, by bucket; reasoning is part of the output',
  labelNames: ['bucket'],
  registers: [instruments],
});

const TOKEN_BUCKETS: readonly TokenBucket[] = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
];
const UNKNOWN_VERSION = 0;

/** Counts usage, each call from one source. */
@Injectable()
export class UsageCountingService {
  private readonly handlers: ((counted: readonly UsageEntry[]) => void)[] = [];

  constructor(
    private readonly usage: UsageCountingRepository,
    private readonly sources: UsageSourcesService,
    private readonly prices: ModelPricesService,
  ) {}

  /** Registers a handler, which is called with what this instance has counted, after the commit. */
  onCounted(handler: (counted: readonly UsageEntry[]) => void): void {
    this.handlers.push(handler);
  }

  /**
   * Counts entries of one source within the transaction that stores their reports, so that they are counted once.
   *
   * @returns those that were counted, each with the model under which it was
   */
  async count(
    tx: Transaction,
    from: UsageSource,
    entries: readonly UsageEntry[],
  ): Promise<ReadonlyMap<UsageEntry, string>> {
    if (entries.length === 0) return new Map();
    const chosen = await this.sources.choose(tx, from, entries);
    const counted = [...chosen.keys()];
    if (counted.length === 0) return chosen;
    const price = await this.prices.pricing(tx);
    const versions = await this.versionsOf(tx, counted);
    const rows = [...chosen].map(([entry, model]): CountedUsage => {
      const { projectId, agentId, runId, at } = entry;
      const configVersion = entry.configVersion ?? versions.get(agentId) ?? UNKNOWN_VERSION;
      const buckets = bucketsOf(entry, entry.toldCostMicros ?? price(entry));
      return { projectId, agentId, runId, at, configVersion, model, buckets };
    });
    const sums = summedUp(rows);
    await this.usage.countUp(tx, from, sums);
    onCommit(tx, () => this.handlers.forEach((handler) => handler(counted)));
    onCommit(tx, () => sums.forEach(({ buckets }) => measure(buckets)));
    return chosen;
  }

  /** The config versions that the agents of entries without one run at present. */
  private async versionsOf(
    tx: Transaction,
    entries: readonly UsageEntry[],
  ): Promise<ReadonlyMap<string, number>> {
    const open = new Set(
      entries.flatMap(({ configVersion, agentId }) => (configVersion === null ? [agentId] : [])),
    );
    return open.size > 0 ? this.usage.activeVersions(tx, [...open]) : new Map();
  }
}

/** A lesser source's part that is taken back later stays in the counters: they only rise. */
function measure(buckets: UsageBuckets): void {
  for (const bucket of TOKEN_BUCKETS)
    if (buckets[bucket] > 0) usedTokens.inc({ bucket: bucket.replace('_tokens', '') }, buckets[bucket]);
  if (buckets.cost_micros > 0) usedDollars.inc(buckets.cost_micros / MICROS_OF_A_DOLLAR);
  if (buckets.uncosted_calls > 0) uncostedCalls.inc(buckets.uncosted_calls);
}

/** @param costMicros null: nobody knows it */
function bucketsOf(entry: UsageEntry, costMicros: number | null): UsageBuckets {
  return {
    ...entry.tokens,
    llm_calls: entry.llmCalls,
    tool_calls: entry.toolCalls,
    tool_errors: entry.toolErrors,
    cost_micros: costMicros ?? 0,
    uncosted_calls: costMicros === null ? entry.llmCalls : 0,
  };
}
