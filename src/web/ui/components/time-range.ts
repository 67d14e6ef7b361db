import { useMemo } from 'react';
import { useSearchParams } from 'react-router';

const MINUTE = 60_000;

/** Ranges that end now; milliseconds. */
const SPANS = {
  '15m': 15 * MINUTE,
  '1h': 60 * MINUTE,
  '6h': 360 * MINUTE,
  '24h': 1_440 * MINUTE,
  '7d': 10_080 * MINUTE,
} as const;

export type RecentSpan = keyof typeof SPANS;
export const RECENT_SPANS = Object.keys(SPANS) as RecentSpan[];

/** Time range of a list, from the address; null: no limit. Times are ISO 8601. */
export interface TimeRange {
  readonly range: RecentSpan | null;
  readonly since: string | null;
  readonly until: string | null;
}

/** Query of the service's routes. */
export interface TimeQuery {
  readonly since?: string;
  readonly until?: string;
}

export const ANY_TIME: TimeRange = { range: null, since: null, until: null };

export function readTimeRange(search: URLSearchParams): TimeRange {
  return {
    range: spanIn(search, 'range'),
    since: timeIn(search, 'since'),
    until: timeIn(search, 'until'),
  };
}

export function spanIn(search: URLSearchParams, name: string): RecentSpan | null {
  const span = search.get(name) as RecentSpan;
  return RECENT_SPANS.includes(span) ? span : null;
}

export function timeIn(search: URLSearchParams, name: string): string | null {
  const at = Date.parse(search.get(name) ?? '');
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/**
 * The beginning of a range that ends now.
 *
 * @param now milliseconds since 1970
 */
export const beginningOf = (span: RecentSpan, now: number): string =>
  new Date(now - SPANS[span]).toISOString();

/** @param now milliseconds since 1970 */
export function timeQuery({ range, since, until }: TimeRange, now: number): TimeQuery {
  const begin = range === null ? since : beginningOf(range, now);
  return { ...(begin !== null && { since: begin }), ...(until !== null && { until }) };
}

/**
 * The time range in the address, so that a link shows the same rows. A range that ends now begins when it is chosen, so
 * that the query does not change with each render.
 */
export function useTimeRange(): [time: TimeRange, query: TimeQuery, change: (time: TimeRange) => void] {
  const [search, setSearch] = useSearchParams();
  const { range, since, until } = readTimeRange(search);
  const query = useMemo(() => timeQuery({ range, since, until }, Date.now()), [range, since, until]);
  const change = (time: TimeRange) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now);
        for (const [name, value] of Object.entries(time) as [string, string | null][]) {
          if (value === null) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  return [{ range, since, until }, query, change];
}
