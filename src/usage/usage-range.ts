import { InvalidError } from '../errors/domain-error.js';
import type { UsageGrouping } from './usage.types.js';

const DAY_MS = 24 * 3_600_000;

/** A unit of time in UTC; milliseconds. */
interface Unit {
  readonly length: number;
  /** A start of the unit, since the epoch. */
  readonly start: number;
}

const HOUR: Unit = { length: 3_600_000, start: 0 };
const DAY: Unit = { length: DAY_MS, start: 0 };
/** From Monday, as PostgreSQL's `date_trunc` has it; 1970-01-05 was one. */
const WEEK: Unit = { length: 7 * DAY_MS, start: 4 * DAY_MS };

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

/** A range in parts, each of them read from the table of its unit. */
export interface RangeParts {
  readonly weeks: readonly UsageRange[];
  readonly days: readonly UsageRange[];
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
  const present = grouping === 'hour' ? ceiling(now, HOUR) : ceiling(now, DAY);
  const end = asked.until && asked.until < now ? asked.until : now;
  const until = end === now ? present : ceiling(end, HOUR);
  const since = asked.since
    ? floor(asked.since, HOUR)
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

/**
 * Parts of a range: its whole weeks, the whole days before and after them, and the hours before and after those. The
 * present week counts as whole, because no usage is later than the present.
 *
 * @param longest the longest unit to be read
 */
export function partsOf(range: UsageRange, longest: 'hour' | 'day' | 'week', now: Date): RangeParts {
  if (longest === 'hour') return { weeks: [], days: [], hours: [range] };
  const { whole, rest: hours } = split(range, DAY);
  if (longest === 'day' || !whole) return { weeks: [], days: whole ? [whole] : [], hours };
  const until = whole.until > now ? ceiling(whole.until, WEEK) : whole.until;
  const { whole: weeks, rest: days } = split({ since: whole.since, until }, WEEK);
  return { weeks: weeks ? [weeks] : [], days, hours };
}

/** The whole units of a range, and what is before and after them. */
function split(range: UsageRange, unit: Unit): { readonly whole?: UsageRange; readonly rest: UsageRange[] } {
  const whole = { since: ceiling(range.since, unit), until: floor(range.until, unit) };
  if (whole.since >= whole.until) return { rest: [range] };
  const edges = [
    { since: range.since, until: whole.since },
    { since: whole.until, until: range.until },
  ];
  return { whole, rest: edges.filter(({ since, until }) => since < until) };
}

function floor(time: Date, { length, start }: Unit): Date {
  return new Date(Math.floor((time.getTime() - start) / length) * length + start);
}

function ceiling(time: Date, { length, start }: Unit): Date {
  return new Date(Math.ceil((time.getTime() - start) / length) * length + start);
}
