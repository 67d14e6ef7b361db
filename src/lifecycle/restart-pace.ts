/** Frequency of recent restarts of a deployment's replicas. Null: rare. */
export const RESTART_PACES = ['frequent', 'crash_looping'] as const;
export type RestartPace = (typeof RESTART_PACES)[number];

/** Numbers of restarts within the window that make a deployment `degraded`, and `crash_looping`. */
const FREQUENT_RESTARTS = 3;
const CRASH_LOOP_RESTARTS = 5;
/** The window, and the quiet time after which restarts count as rare again; seconds. */
export const RESTART_WINDOW_SECONDS = 600;

/** Restarts of a deployment since its last deploy or restart. */
export interface Restarts {
  readonly restartCount: number;
  /** Times of the latest restarts, oldest first; at most the number of a crash loop. */
  readonly recentRestarts: readonly string[];
  readonly restartPace: RestartPace | null;
}

/**
 * The restarts after a report. A count below the last one comes from a runtime that counts from 0 again. A crash loop
 * ends only after a quiet window, not with the first slower restart. Pure.
 *
 * @param restartCount as the runtime counts restarts since it started the deployment
 * @param now ISO 8601, by the database's clock
 */
export function restartsAfter(before: Restarts, restartCount: number, now: string): Restarts {
  const isAnew = restartCount < before.restartCount;
  const added = restartCount - (isAnew ? 0 : before.restartCount);
  const times = [
    ...before.recentRestarts,
    ...Array.from({ length: Math.min(added, CRASH_LOOP_RESTARTS) }, () => now),
  ];
  const recentRestarts = times.slice(-CRASH_LOOP_RESTARTS);
  const windowStart = Date.parse(now) - RESTART_WINDOW_SECONDS * 1_000;
  const inWindow = recentRestarts.filter((time) => Date.parse(time) > windowStart).length;
  return {
    restartCount,
    recentRestarts,
    restartPace: before.restartPace === 'crash_looping' ? 'crash_looping' : paceOf(inWindow),
  };
}

function paceOf(restartsInWindow: number): RestartPace | null {
  if (restartsInWindow >= CRASH_LOOP_RESTARTS) return 'crash_looping';
  return restartsInWindow >= FREQUENT_RESTARTS ? 'frequent' : null;
}
