import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { LogRecord } from '@agent-control-plane/client';

export type Level = LogRecord['level'];

const MINUTE = 60_000;
const LEVELS: readonly Level[] = ['debug', 'info', 'warning', 'error', 'critical'];

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

/** How much after the wanted time is read; milliseconds. */
const AFTER_MS = 10 * MINUTE;

/** Filter of a log, as the address holds it; null: not filtered by it. Times are ISO 8601. */
export interface LogFilter {
  /** This level and the more severe ones. */
  readonly level: Level | null;
  readonly q: string | null;
  readonly deployment: string | null;
  readonly replica: string | null;
  readonly range: RecentSpan | null;
  readonly since: string | null;
  readonly until: string | null;
  /** Time that the viewer jumps to. */
  readonly at: string | null;
}

export const NO_TIME = { range: null, since: null, until: null, at: null } as const;

/** Query of the service's routes. */
export interface LogQuery {
  readonly min_level?: string;
  readonly q?: string;
  readonly replica?: string;
  readonly since?: string;
  readonly until?: string;
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
  const range = search.get('range') as RecentSpan;
  return {
    level: LEVELS.includes(level) ? level : null,
    q: search.get('q'),
    deployment: search.get('deployment'),
    replica: /^\d{1,6}$/.test(search.get('replica') ?? '') ? search.get('replica') : null,
    range: RECENT_SPANS.includes(range) ? range : null,
    since: timeIn(search, 'since'),
    until: timeIn(search, 'until'),
    at: timeIn(search, 'at'),
  };
}

/** @param now milliseconds since 1970 */
export function logQuery({ level, q, replica, range, since, until, at }: LogFilter, now: number): LogQuery {
  const begin = range === null ? since : new Date(now - SPANS[range]).toISOString();
  const end = at === null ? until : new Date(Date.parse(at) + AFTER_MS).toISOString();
  return {
    ...(level !== null && { min_level: level }),
    ...(q !== null && { q }),
    ...(replica !== null && { replica }),
    ...(begin !== null && at === null && { since: begin }),
    ...(end !== null && { until: end }),
  };
}

/** Whether new lines belong to what is shown. */
export const isOpenEnded = ({ until, at }: LogFilter): boolean => until === null && at === null;

export const isFiltered = ({ level, q, replica, range, since, until, at }: LogFilter): boolean =>
  [level, q, replica, range, since, until, at].some((value) => value !== null);

function timeIn(search: URLSearchParams, name: string): string | null {
  const at = Date.parse(search.get(name) ?? '');
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
