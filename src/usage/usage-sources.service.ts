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

type Models = ReadonlyMap<string, ModelOfAgent>;
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
    let models = new Map(entries.map((entry) => [keyOf(modelOf(entry)), modelOf(entry)]));
    let known = await read(models);
    const names = await this.addMissing(tx, models, known);
    const nameOf = (entry: UsageEntry): ModelOfAgent => {
      const model = modelOf(entry);
      return { ...model, model: names.get(keyOf(model)) ?? model.model };
    };
    if (names.size > 0) {
      models = new Map(entries.map((entry) => [keyOf(nameOf(entry)), nameOf(entry)]));
      known = await read(models);
    }
    const told = firstTimes(entries.filter(saysMuch), nameOf);
    const appeared = await this.appear(tx, from, told, known);
    return new Map(
      entries.flatMap((entry): [UsageEntry, string][] => {
        const { agentId, model } = nameOf(entry);
        const key = keyOf({ agentId, model });
        const sources = appeared.get(key) ?? known.get(key);
        const at = timeOf(entry);
        const time = { since: entry.since?.getTime() ?? at, at };
        // A removed agent has no known project any more.
        return !sources || isCounted(from, time, sources.since, sources.choices) ? [[entry, model]] : [];
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
  private async appear(
    tx: Transaction,
    from: UsageSource,
    told: ReadonlyMap<string, number>,
    known: Known,
  ): Promise<Known> {
    const now = Date.now();
    const appearances = (sources: Known): AppearedSource[] =>
      [...sources].flatMap(([key, { since, choices, ...model }]) => {
        const firstAt = told.get(key);
        const appearance = firstAt === undefined ? null : appearanceOf(from, firstAt, now, since, choices);
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

/** When each model was first called, according to these entries. */
function firstTimes(
  entries: readonly UsageEntry[],
  nameOf: (entry: UsageEntry) => ModelOfAgent,
): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const entry of entries) {
    const key = keyOf(nameOf(entry));
    times.set(key, Math.min(times.get(key) ?? Infinity, timeOf(entry)));
  }
  return times;
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
