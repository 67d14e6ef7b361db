import { Injectable } from '@nestjs/common';
import { onCommit, type Transaction } from '../database/transaction.js';
import { uncostedCalls, usedDollars, usedTokens } from '../observability/instruments.js';
import { ModelPricesService } from './model-prices.service.js';
import { type CountedUsage, type ModelSince, UsageCountingRepository } from './usage-counting.repository.js';
import { MICROS_OF_A_DOLLAR } from '../runs/usage.response.js';
import { NO_USAGE, type UsageBuckets } from '../runs/usage.types.js';
import {
  type ModelOfAgent,
  type TokenBucket,
  USAGE_SOURCES,
  type UsageEntry,
  type UsageSource,
} from './usage.types.js';

const TOKEN_BUCKETS: readonly TokenBucket[] = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
];
const UNKNOWN_VERSION = 0;

/**
 * Counts usage. The same call may be told by a span, by a metric and by the agent's own report, so each model of an agent is counted
 * from the best source that was ever seen.
 */
@Injectable()
export class UsageCountingService {
  private readonly handlers: ((counted: readonly UsageEntry[]) => void)[] = [];

  constructor(
    private readonly usage: UsageCountingRepository,
    private readonly prices: ModelPricesService,
  ) {}

  /** Registers a handler, which is called with what this instance has counted, after the commit. */
  onCounted(handler: (counted: readonly UsageEntry[]) => void): void {
    this.handlers.push(handler);
  }

  /**
   * Counts entries of one source within the transaction that stores what they are told by, so that they are counted once.
   *
   * @returns those that were counted
   */
  async count(tx: Transaction, from: UsageSource, entries: readonly UsageEntry[]): Promise<UsageEntry[]> {
    if (entries.length === 0) return [];
    const chosen = await this.choose(tx, from, entries);
    const counted = entries.filter((entry) => chosen.has(keyOf(modelOf(entry))));
    if (counted.length === 0) return [];
    const price = await this.prices.pricing(tx);
    const versions = await this.versionsOf(tx, counted);
    const rows = counted.map((entry): CountedUsage => {
      const { projectId, agentId, runId, at } = entry;
      const configVersion = entry.configVersion ?? versions.get(agentId) ?? UNKNOWN_VERSION;
      const buckets = bucketsOf(entry, entry.toldCostMicros ?? price(entry));
      return { projectId, runId, at, configVersion, ...modelOf(entry), buckets };
    });
    await this.usage.countUp(tx, from, rows);
    onCommit(tx, () => this.handlers.forEach((handler) => handler(counted)));
    onCommit(tx, () => rows.forEach(({ buckets }) => measure(buckets)));
    return counted;
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

  /** The models that are counted from this source. It takes the place of a lesser one, and of what that one told of the same time. */
  private async choose(
    tx: Transaction,
    from: UsageSource,
    entries: readonly UsageEntry[],
  ): Promise<ReadonlySet<string>> {
    const all = new Map(entries.map((entry) => [keyOf(modelOf(entry)), modelOf(entry)]));
    const models = new Map<string, ModelSince>();
    for (const entry of entries.filter(saysMuch)) {
      const { projectId, at: since } = entry;
      const key = keyOf(modelOf(entry));
      const earlier = models.get(key);
      if (!earlier || since < earlier.since) models.set(key, { ...modelOf(entry), projectId, since });
    }
    const isBest = from === USAGE_SOURCES.at(-1);
    const read = () => this.usage.sourcesOf(tx, [...all.values()], !isBest);
    let known = await read();
    const rank = rankOf(from);
    const settled = new Set(known.filter(({ usageFrom }) => rankOf(usageFrom) >= rank).map(keyOf));
    const open = [...models.values()].filter((model) => !settled.has(keyOf(model)));
    if (open.length > 0) {
      await this.usage.choose(tx, open, from);
      const runIds = new Set(entries.flatMap(({ runId }) => runId ?? []));
      if (rank > 0) await this.usage.takeBack(tx, open, from, [...runIds]);
      known = await read();
    }
    const others = new Set(known.filter(({ usageFrom }) => usageFrom !== from).map(keyOf));
    // A model of which nobody has said anything yet is counted, too.
    return new Set([...all.keys()].filter((key) => !others.has(key)));
  }
}

/** A lesser source's part that is taken back later stays in the counters: they only rise. */
function measure(buckets: UsageBuckets): void {
  for (const bucket of TOKEN_BUCKETS)
    if (buckets[bucket] > 0) usedTokens.inc({ bucket: bucket.replace('_tokens', '') }, buckets[bucket]);
  if (buckets.cost_micros > 0) usedDollars.inc(buckets.cost_micros / MICROS_OF_A_DOLLAR);
  if (buckets.uncosted_calls > 0) uncostedCalls.inc(buckets.uncosted_calls);
}

/** Calls without tokens and cost, as some programs tell them, take the place of no other source. */
function saysMuch({ tokens, toldCostMicros, model }: UsageEntry): boolean {
  return model === null || toldCostMicros !== null || Object.values(tokens).some((count) => count > 0);
}

function rankOf(source: UsageSource): number {
  return USAGE_SOURCES.indexOf(source);
}

function modelOf({ agentId, model }: UsageEntry): ModelOfAgent {
  return { agentId, model: model ?? '' };
}

function keyOf({ agentId, model }: ModelOfAgent): string {
  return `${agentId} ${model}`;
}

/** @param costMicros null: nobody knows it */
function bucketsOf(entry: UsageEntry, costMicros: number | null): UsageBuckets {
  return {
    ...NO_USAGE,
    ...entry.tokens,
    llm_calls: entry.llmCalls,
    tool_calls: entry.toolCalls,
    tool_errors: entry.toolErrors,
    cost_micros: costMicros ?? 0,
    uncosted_calls: costMicros === null ? entry.llmCalls : 0,
  };
}
