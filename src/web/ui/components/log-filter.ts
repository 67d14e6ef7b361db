import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { LogRecord } from '@agent-control-plane/client';
import { readTimeRange, timeIn, timeQuery, type TimeQuery, type TimeRange } from './time-range.js';

export type Level = LogRecord['level'];

const LEVELS: readonly Level[] = ['debug', 'info', 'warning', 'error', 'critical'];

/** Length of the range after the wanted time that is read; milliseconds. */
const AFTER_MS = 10 * 60_000;

/** Filter of a log, from the address; null: no limit. Times are ISO 8601. */
export interface LogFilter extends TimeRange {
  /** Minimum level. */
  readonly level: Level | null;
  readonly q: string | null;
  readonly deployment: string | null;
  readonly replica: string | null;
  /** Time to which the viewer scrolls. */
  readonly at: string | null;
}

/** Query of the service's routes. */
export interface LogQuery extends TimeQuery {
  readonly min_level?: string;
  readonly q?: string;
  readonly replica?: string;
}

/** The filter in the address, so that a link shows the same lines. */
export function useLogFilter(): [filter: LogFilter, change: (part: Partial<LogFilter>) => void] {
  const [search, setSearch] = useSearchParams();
  const filter = useMemo(() => readFilter(search), [search]);
  const change = (part: Partial<LogFilter>) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now);
        for (const [name, value] of Object.entries(part)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
  return [filter, change];
}

export function readFilter(search: URLSearchParams): LogFilter {
  const level = search.get('level') as Level;
  return {
    level: LEVELS.includes(level) ? level : null,
    q: search.get('q'),
    deployment: search.get('deployment'),
    replica: /^\d{1,6}$/.test(search.get('replica') ?? '') ? search.get('replica') : null,
    ...readTimeRange(search),
    at: timeIn(search, 'at'),
  };
}

/**
 * A time to scroll to overrides the range: the lines up to some minutes after that time are read.
 *
 * @param now milliseconds since 1970
 */
export function logQuery(filter: LogFilter, now: number): LogQuery {
  const { level, q, replica, at } = filter;
  const time =
    at === null ? timeQuery(filter, now) : { until: new Date(Date.parse(at) + AFTER_MS).toISOString() };
  return {
    ...(level !== null && { min_level: level }),
    ...(q !== null && { q }),
    ...(replica !== null && { replica }),
    ...time,
  };
}

/** Returns true if new lines belong to the list. */
export const isOpenEnded = ({ until, at }: LogFilter): boolean => until === null && at === null;

export const isFiltered = ({ level, q, replica, range, since, until, at }: LogFilter): boolean =>
  [level, q, replica, range, since, until, at].some((value) => value !== null);
