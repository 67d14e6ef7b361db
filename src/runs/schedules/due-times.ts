import { Cron } from 'croner';
import type { CatchUp, ScheduleClock } from './schedule.types.js';

/** Five fields: schedules more frequent than each minute are in seconds. */
const MODE = '5-part';

/** Time after which a due time counts as missed; milliseconds. */
export const LATE_MS = 60_000;

/** A clock, and the time from which its seconds are counted. */
export type RunningClock = ScheduleClock & { readonly anchoredAt: string };

/**
 * The first due time after a time; null: there is none. Pure.
 *
 * Where a clock is put forward, a cron expression of single times is due at the end of the gap, once, and one of lists or
 * ranges leaves the gap out. Where it is put back, the former is due the first time only, and the latter both times.
 */
export function nextDueAt(
  { cron, everySeconds, timezone, anchoredAt }: RunningClock,
  after: Date,
): Date | null {
  if (everySeconds === null) return new Cron(cron!, { mode: MODE, timezone }).nextRun(after);
  const pause = everySeconds * 1_000;
  const anchor = Date.parse(anchoredAt);
  const passed = Math.max(Math.floor((after.getTime() - anchor) / pause), 0);
  return new Date(anchor + (passed + 1) * pause);
}

/** The next due times, as many as are asked for; none while there is no next one. Pure. */
export function upcomingTimes(
  clock: RunningClock & { readonly nextRunAt: string | null },
  count: number,
): string[] {
  const times: string[] = [];
  let next = clock.nextRunAt === null ? null : new Date(clock.nextRunAt);
  while (next && times.length < count) {
    times.push(next.toISOString());
    next = nextDueAt(clock, next);
  }
  return times;
}

/** The result of a due time. */
export interface Turn {
  /** The due time for which a run is made; null: there is none. */
  readonly dueAt: Date | null;
  /** The next due time; null: there is none. */
  readonly nextDueAt: Date | null;
}

/**
 * Decides about a due time that has come. Pure.
 *
 * @param dueAt not after `now`
 */
export function turnOf(clock: RunningClock & { readonly catchUp: CatchUp }, dueAt: Date, now: Date): Turn {
  if (now.getTime() - dueAt.getTime() <= LATE_MS) return { dueAt, nextDueAt: nextDueAt(clock, dueAt) };
  if (clock.catchUp === 'one') return { dueAt, nextDueAt: nextDueAt(clock, now) };
  const kept = nextDueAt(clock, new Date(now.getTime() - LATE_MS));
  if (kept === null || kept > now) return { dueAt: null, nextDueAt: kept };
  return { dueAt: kept, nextDueAt: nextDueAt(clock, kept) };
}

/** Why a text is no cron expression; null: it is one. Pure. */
export function faultOfCron(text: string): string | null {
  try {
    const next = new Cron(text, { mode: MODE, timezone: 'UTC' }).nextRun();
    return next ? null : 'it matches no date';
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, '');
  }
}
