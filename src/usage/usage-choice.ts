import type { UsageChoice } from '../agents/agent-settings.types.js';
import { USAGE_SOURCES, type UsageSource } from './usage.types.js';

const HOUR_MS = 3_600_000;
/** Usage that is older stays as it was counted: a program's clock may say anything. */
const LONGEST_TAKEN_BACK_MS = 24 * HOUR_MS;

/** A time in milliseconds since 1970; -Infinity is before all. */
type Time = number;

/** Since when each source reports a model of an agent; null: it has reported nothing. */
export type SourcesSince = Readonly<Record<UsageSource, Time | null>>;

/** The choice of an agent's owner, from a time on. */
export interface ChoiceSince {
  readonly since: Time;
  readonly usageFrom: UsageChoice;
}

/** The effects of a source that reports a model for the first time, or from an earlier time. */
export interface Appearance {
  readonly since: Time;
  /**
   * Usage that these sources reported since the beginning of this hour is reported by the new one, too; null:
   * nothing is taken back.
   */
  readonly takenBack: { readonly since: Time; readonly sources: readonly UsageSource[] } | null;
}

/**
 * The source from which a call of this time is counted: the one that the owner had chosen then, else the best that
 * was reported then.
 *
 * @param choices oldest first
 * @returns null: no source has reported the model
 */
export function sourceAt(
  at: Time,
  sources: SourcesSince,
  choices: readonly ChoiceSince[],
): UsageSource | null {
  const choice = choices.findLast(({ since }) => since <= at);
  if (choice && choice.usageFrom !== 'auto') return choice.usageFrom;
  return USAGE_SOURCES.findLast((source) => sources[source] !== null && sources[source] <= at) ?? null;
}

/**
 * Says whether a source's reports of a time are counted. Of a time into which a choice of the owner falls nobody
 * knows which part was counted before, so nothing of it is.
 *
 * @param since the beginning of the time, which ends with `at`
 */
export function isCounted(
  from: UsageSource,
  { since, at }: { readonly since: Time; readonly at: Time },
  sources: SourcesSince,
  choices: readonly ChoiceSince[],
): boolean {
  const isFrom = (time: Time) => (sourceAt(time, sources, choices) ?? from) === from;
  const hasChoice = choices.some((choice) => since < choice.since && choice.since <= at);
  return isFrom(at) && (!hasChoice || isFrom(since));
}

/**
 * Decides since when a source that reports a model counts. It takes the place of a lesser one from the hour of its
 * first call on, but of nothing that was counted while the owner had chosen otherwise, and of a day at most.
 *
 * @param firstAt the earliest call that it reports now
 * @param choices oldest first
 * @returns null: nothing changes
 */
export function appearanceOf(
  from: UsageSource,
  firstAt: Time,
  now: Time,
  sources: SourcesSince,
  choices: readonly ChoiceSince[],
): Appearance | null {
  const known = sources[from];
  if (known !== null && firstAt >= known) return null;
  const choice = choices.at(-1) ?? { since: -Infinity, usageFrom: 'auto' };
  const isFirst = known === null && lesserThan(from).every((source) => sources[source] === null);
  if (choice.usageFrom !== 'auto') {
    if (known !== null) return null;
    return { since: isFirst ? -Infinity : choice.since, takenBack: null };
  }
  const earliest = Math.max(
    floor(firstAt),
    floor(now - LONGEST_TAKEN_BACK_MS),
    // The rest of the hour of the choice stays with the source that it was counted from.
    ceiling(choice.since),
  );
  if (known !== null && earliest >= known) return null;
  // A source without reported tokens was counted as well, as long as no other was there.
  const others = USAGE_SOURCES.filter((source) => source !== from);
  const replaced = others.filter((source) => sources[source] === null || lesserThan(from).includes(source));
  return { since: isFirst ? -Infinity : earliest, takenBack: { since: earliest, sources: replaced } };
}

function lesserThan(source: UsageSource): readonly UsageSource[] {
  return USAGE_SOURCES.slice(0, USAGE_SOURCES.indexOf(source));
}

function floor(time: Time): Time {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}

function ceiling(time: Time): Time {
  return Math.ceil(time / HOUR_MS) * HOUR_MS;
}
