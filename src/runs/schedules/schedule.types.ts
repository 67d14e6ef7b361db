import type { RunStatus } from '../../lifecycle/run-lifecycle.js';
import type { RunContent, RunRules } from '../run.types.js';

/** The act at a due time while a run of the schedule has not ended. */
export const OVERLAPS = ['skip', 'queue', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** The handling of due times for which the service was too late: no run, or one for all of them. */
export const CATCH_UPS = ['none', 'one'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

/** When a schedule is due: by a cron expression in a time zone, or each so many seconds. */
export interface ScheduleClock {
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly timezone: string;
}

/** The properties of a schedule in a request. */
export interface ScheduleTerms
  extends
    ScheduleClock,
    Pick<RunContent, 'input' | 'name' | 'labels'>,
    Omit<RunRules, 'startAfter' | 'expiresAt'> {
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  readonly isActive: boolean;
}

/** The newest run of a schedule. */
export interface LastRun {
  readonly lastRunId: string | null;
  readonly lastRunStatus: RunStatus | null;
  readonly lastRunQueuedAt: string | null;
}
