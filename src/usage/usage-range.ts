import { InvalidError } from '../errors/domain-error.js';
import type { UsageGrouping } from './usage.types.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The range without `since`, and the longest one; days. */
export const DAYS_BY_HOUR = { usual: 1, longest: 31 } as const;
export const DAYS_OTHERWISE = { usual: 30, longest: 366 } as const;

/** A range of whole hours. */
export interface UsageRange {
  /** Inclusive. */
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
}

/** A range in parts, of which each is read from one table. */
export interface RangeParts {
  /** Null: there is no whole day in it. */
  readonly days: UsageRange | null;
  readonly hours: readonly UsageRange[];
}

/**
 * The hours to be summed up. Usage is counted by the hour, so the range is made longer to whole ones; one that reaches to the present
 * ends with the day, because whole days are read with less work.
 *
 * @param isWhole without `since` it is the longest range, not the usual one
 * @throws InvalidError if the range is empty or too long
 */
export function usageRange(
  asked: { readonly since?: Date | undefined; readonly until?: Date | undefined },
  grouping: UsageGrouping,
  now: Date,
  isWhole = false,
): UsageRange {
  const { usual, longest } = grouping === 'hour' ? DAYS_BY_HOUR : DAYS_OTHERWISE;
  const present = grouping === 'hour' ? ceiling(now, HOUR_MS) : ceiling(now, DAY_MS);
  const end = asked.until && asked.until < now ? asked.until : now;
  const until = end === now ? present : ceiling(end, HOUR_MS);
  const since = asked.since
    ? floor(asked.since, HOUR_MS)
    : new Date(until.getTime() - (isWhole ? longest : usual) * DAY_MS);
  const length = end.getTime() - (asked.since ?? since).getTime();
  if (since >= until || length <= 0)
    throw InvalidError.of('since', 'out_of_range', 'since must be before until, and not in the future');
  if (asked.since && length > longest * DAY_MS) {
    throw InvalidError.of(
      'since',
      'out_of_range',
      `since must be at most ${longest} days before until with group_by=${grouping}`,
    );
  }
  return { since, until };
}

/** The whole days of a range, in UTC, and the hours before and after them. */
export function partsOf({ since, until }: UsageRange, grouping: UsageGrouping): RangeParts {
  const days = { since: ceiling(since, DAY_MS), until: floor(until, DAY_MS) };
  if (grouping === 'hour' || days.since >= days.until) return { days: null, hours: [{ since, until }] };
  const rest = [
    { since, until: days.since },
    { since: days.until, until },
  ];
  return { days, hours: rest.filter((part) => part.since < part.until) };
}

function floor(time: Date, unitMs: number): Date {
  return new Date(Math.floor(time.getTime() / unitMs) * unitMs);
}

function ceiling(time: Date, unitMs: number): Date {
  return new Date(Math.ceil(time.getTime() / unitMs) * unitMs);
}
