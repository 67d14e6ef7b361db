import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.js';
import { appearanceOf, isCounted } from './usage-choice.js';
import {
  type AppearedSource,
  type KnownSources,
  UsageSourcesRepository,
} from './usage-sources.repository.js';
import {
  type ModelOfAgent,
  OTHER_MODELS,
  USAGE_SOURCES,
  type UsageEntry,
  type UsageSource,
} from './usage.types.js';

/**
 * Number of models of an agent that are counted by name: an agent may report any names, and each has rows of its
 * own.
 */
const MAXIMUM_NAMES = 200;

/** A model with the entries that report it. */
interface ToldModel extends ModelOfAgent {
  readonly told: readonly UsageEntry[];
}

type Models = ReadonlyMap<string, ToldModel>;
type Known = ReadonlyMap<string, KnownSources>;

/**
 * Chooses the counted entries. The same call may be reported by a span, by a metric and by the agent's own report, so
 * each model of an agent is counted from one source at a time.
 */
@Injectable()
export class UsageSourcesService {
  constructor(private readonly sources: UsageSourcesRepository) {}

  /**
   * The entries that are counted from this source, each with the model under which it is. The source takes the place
   * of a lesser one, and of its reports of the same time.
   */
  async choose(
    tx: Transaction,
    from: UsageSource,
    entries: readonly UsageEntry[],
  ): Promise<ReadonlyMap<UsageEntry, string>> {
    const isBest = from === USAGE_SOURCES.at(-1);
    const read = async (models: Models): Promise<Known> =>
      byKey(await this.sources.read(tx, [...models.values()], isBest ? 'none' : 'share'));
    let models = byModel(entries, modelOf);
    let known = await read(models);
    const names = await this.addMissing(tx, models, known);
    if (names.size > 0) {
      models = byModel(entries, (entry) => {
        const model = modelOf(entry);
        return { ...model, model: names.get(keyOf(model)) ?? model.model };
      });
      known = await read(models);
    }
    const appeared = await this.appear(tx, from, models, known);
    return new Map(
      [...models].flatMap(([key, { model, told }]) => {
        const sources = appeared.get(key) ?? known.get(key);
        // A removed agent has no known project any more.
        const counted = sources ? told.filter((entry) => isCountedFrom(from, entry, sources)) : told;
        return counted.map((entry) => [entry, model] as const);
      }),
    );
  }

  /**
   * Adds models that are reported for the first time. @returns the names under which models are counted that were
   * not known
   */
  private async addMissing(
    tx: Transaction,
    models: Models,
    known: Known,
  ): Promise<ReadonlyMap<string, string>> {
    const missing = [...models].flatMap(([key, model]) => (known.has(key) ? [] : [model]));
    if (missing.length === 0) return new Map();
    const agentIds = [...new Set(missing.map(({ agentId }) => agentId))];
    const counts = new Map(await this.sources.countNames(tx, agentIds));
    const isFull = ({ agentId, model }: ModelOfAgent) =>
      model !== '' && model !== OTHER_MODELS && (counts.get(agentId) ?? 0) >= MAXIMUM_NAMES;
    if (!missing.every(isFull)) {
      await this.sources.lockAgents(tx, agentIds);
      for (const [agentId, count] of await this.sources.countNames(tx, agentIds)) counts.set(agentId, count);
    }
    const added = new Map<string, ModelOfAgent>();
    const names = new Map<string, string>();
    for (const told of missing) {
      const model = isFull(told) ? { ...told, model: OTHER_MODELS } : told;
      if (model === told) counts.set(told.agentId, (counts.get(told.agentId) ?? 0) + 1);
      names.set(keyOf(told), model.model);
      added.set(keyOf(model), model);
    }
    await this.sources.add(tx, [...added.values()]);
    return names;
  }

  /** Writes that a source has reported models. @returns the known facts about those now */
  private async appear(tx: Transaction, from: UsageSource, models: Models, known: Known): Promise<Known> {
    const now = Date.now();
    const appearances = (sources: Known): AppearedSource[] =>
      [...sources].flatMap(([key, { since, choices, ...model }]) => {
        const firstAt = firstTime(models.get(key)!.told);
        const appearance = firstAt === Infinity ? null : appearanceOf(from, firstAt, now, since, choices);
        return appearance ? [{ ...model, ...appearance }] : [];
      });
    const open = appearances(known);
    if (open.length === 0) return new Map();
    // Another transaction may have been faster.
    const locked = byKey(await this.sources.read(tx, open, 'update'));
    const appeared = appearances(locked);
    if (appeared.length > 0) {
      await this.sources.write(tx, from, appeared);
      await this.sources.takeBack(tx, appeared);
    }
    const since = new Map(appeared.map((each) => [keyOf(each), each.since]));
    return new Map(
      [...locked].map(([key, sources]) => {
        const fromNow = since.get(key) ?? sources.since[from];
        return [key, { ...sources, since: { ...sources.since, [from]: fromNow } }];
      }),
    );
  }
}

function byModel(entries: readonly UsageEntry[], nameOf: (entry: UsageEntry) => ModelOfAgent): Models {
  const groups = Map.groupBy(entries, (entry) => keyOf(nameOf(entry)));
  return new Map([...groups].map(([key, told]) => [key, { ...nameOf(told[0]!), told }]));
}

/** When a model was first called, according to these entries; Infinity: none counts as a first call. */
function firstTime(entries: readonly UsageEntry[]): number {
  return entries.filter(saysMuch).reduce((first, entry) => Math.min(first, timeOf(entry)), Infinity);
}

function isCountedFrom(from: UsageSource, entry: UsageEntry, { since, choices }: KnownSources): boolean {
  const at = timeOf(entry);
  return isCounted(from, { since: entry.since?.getTime() ?? at, at }, since, choices);
}

/** Reports from a clock that is ahead count as used now. */
function timeOf({ at }: UsageEntry): number {
  return Math.min(at.getTime(), Date.now());
}

/** Calls without tokens and cost, as some programs report them, take the place of no other source. */
function saysMuch({ tokens, toldCostMicros, model }: UsageEntry): boolean {
  return model === null || toldCostMicros !== null || Object.values(tokens).some((count) => count > 0);
}

function modelOf({ agentId, model }: UsageEntry): ModelOfAgent {
  return { agentId, model: model ?? '' };
}

function keyOf({ agentId, model }: ModelOfAgent): string {
  return `${agentId} ${model}`;
}

function byKey(known: readonly KnownSources[]): Known {
  return new Map(known.map((each) => [keyOf(each), each]));
}
