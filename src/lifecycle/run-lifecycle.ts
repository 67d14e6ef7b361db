import type { StatusSource } from './deployment-lifecycle.js';

/**
 * The state machine of a run, as data. Tests compare the CHECK constraint, the documented diagram and the catalogue of
 * events with it. Only `RunLifecycleService` writes a status.
 */

export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'abandoned',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Statuses of a run that a runtime has. */
export const HELD_STATUSES = ['running', 'waiting'] as const satisfies RunStatus[];
/** Statuses of a run that has not ended. */
export const OPEN_STATUSES = ['queued', ...HELD_STATUSES] as const satisfies RunStatus[];
/** Statuses in which a real end still counts that arrives late: only the service said that the run had ended. */
const PRESUMED_ENDS = ['timed_out', 'abandoned'] as const satisfies RunStatus[];

export const RUN_EVENT_TYPES = [
  'queued',
  'started',
  'waiting',
  'resumed',
  'returned',
  'cancel_requested',
  'loop_suspected',
  'approval_decided',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'abandoned',
] as const;
export type RunEventType = (typeof RUN_EVENT_TYPES)[number];

export interface RunTransition {
  readonly from: readonly RunStatus[];
  readonly to: RunStatus | 'same';
  readonly by: readonly StatusSource[];
  readonly event: RunEventType;
}

export const RUN_TRANSITIONS = {
  take: { from: ['queued'], to: 'running', by: ['agent'], event: 'started' },
  wait: { from: ['running'], to: 'waiting', by: ['agent'], event: 'waiting' },
  resume: { from: ['waiting'], to: 'running', by: ['agent'], event: 'resumed' },
  /** The runtime returns the run unstarted, because it stops. The attempt keeps its number, and does not count for the maximum. */
  give_back: { from: ['running'], to: 'queued', by: ['agent'], event: 'returned' },
  succeed: { from: [...HELD_STATUSES, ...PRESUMED_ENDS], to: 'succeeded', by: ['agent'], event: 'succeeded' },
  fail: { from: [...HELD_STATUSES, ...PRESUMED_ENDS], to: 'failed', by: ['agent'], event: 'failed' },
  /** The runtime has ended it before its time, because it was asked to. */
  end_early: {
    from: [...HELD_STATUSES, ...PRESUMED_ENDS],
    to: 'cancelled',
    by: ['agent'],
    event: 'cancelled',
  },
  cancel: { from: ['queued'], to: 'cancelled', by: ['user'], event: 'cancelled' },
  request_cancel: { from: HELD_STATUSES, to: 'same', by: ['user', 'monitor'], event: 'cancel_requested' },
  /** The run calls a tool again and again. The spans that say so may come after its end. */
  suspect_loop: { from: RUN_STATUSES, to: 'same', by: ['monitor'], event: 'loop_suspected' },
  /** A person has decided about an action of it, or nobody has in time. Its runtime fetches the answer and continues. */
  decide_approval: {
    from: HELD_STATUSES,
    to: 'same',
    by: ['user', 'monitor'],
    event: 'approval_decided',
  },
  /** The run was not begun before its latest start. */
  expire: { from: ['queued'], to: 'cancelled', by: ['monitor'], event: 'cancelled' },
  time_out: { from: HELD_STATUSES, to: 'timed_out', by: ['monitor'], event: 'timed_out' },
  abandon: { from: HELD_STATUSES, to: 'abandoned', by: ['agent', 'monitor'], event: 'abandoned' },
  /** The next attempt of a run that its request allows more than one. */
  retry: { from: ['failed', ...PRESUMED_ENDS], to: 'queued', by: ['monitor'], event: 'queued' },
} as const satisfies Record<string, RunTransition>;

export type RunAction = keyof typeof RUN_TRANSITIONS;

/** The beginnings of a run: a person or a schedule asks for it, or its agent begins it by itself. */
export const RUN_CREATIONS = {
  ask: { to: 'queued', event: 'queued' },
  begin: { to: 'running', event: 'started' },
} as const satisfies Record<string, Pick<RunTransition, 'event'> & { readonly to: RunStatus }>;

/** Returns true if a run has not ended. */
export function isOpen({ status }: { readonly status: RunStatus }): boolean {
  return OPEN_STATUSES.some((each) => each === status);
}

/** Returns true if a runtime has the run. */
export function isHeld({ status }: { readonly status: RunStatus }): boolean {
  return HELD_STATUSES.some((each) => each === status);
}

/** The status after an action; null: the action changes nothing. Pure. */
export function nextRunStatus(action: RunAction, status: RunStatus, by: StatusSource): RunStatus | null {
  const transition: RunTransition = RUN_TRANSITIONS[action];
  if (!transition.by.includes(by) || !transition.from.includes(status)) return null;
  return transition.to === 'same' ? status : transition.to;
}

/** When and how often a run is begun again by itself. */
export interface RetryRule {
  readonly maxAttempts: number;
  readonly firstDelaySeconds: number;
  /** True: also a run that nobody has any more, which may have done half of its work. */
  readonly retriesAbandoned: boolean;
}

/** Maximum pause before an attempt; seconds. */
export const LONGEST_RETRY_DELAY_SECONDS = 3_600;

/**
 * The pause before the next attempt of a run that has just ended; null: there is none. The pause doubles with each attempt.
 * Pure.
 *
 * @param attempt number of attempts that were begun, without those that were given back unstarted
 * @returns seconds
 */
export function retryDelayOf(
  { status, attempt }: { readonly status: RunStatus; readonly attempt: number },
  rule: RetryRule,
): number | null {
  if (!RUN_TRANSITIONS.retry.from.some((each) => each === status)) return null;
  if (status === 'abandoned' && !rule.retriesAbandoned) return null;
  if (attempt >= rule.maxAttempts) return null;
  return Math.min(rule.firstDelaySeconds * 2 ** Math.max(attempt - 1, 0), LONGEST_RETRY_DELAY_SECONDS);
}
