import { shifted } from '../database/clock.js';
import type { StatusSource } from '../lifecycle/deployment-lifecycle.js';
import { isOpen, type RunAction, type RunStatus, RUN_TRANSITIONS } from '../lifecycle/run-lifecycle.js';
import type { RunEntity } from './run.entity.js';
import type { RunDetails } from './run.types.js';

/** The values of a run's columns after a step. Those that follow from the stored row are SQL. */
export type RunChange = { readonly [Property in keyof RunEntity]?: RunEntity[Property] | (() => string) };

/** A change whose SQL names parameters, `:endedAt`, so that it has the same text for all their values. */
export interface ParameterizedChange {
  readonly change: RunChange;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const NOW = () => 'now()';
/** The same time, for CASE; see `withClock`. */
const AT = 'clock.at';
/** Nobody has the run. */
const NOT_HELD = {
  startedAt: null,
  timeoutAt: null,
  claimKey: null,
  waitingReason: null,
  countedUntil: null,
} as const;

/** SQL for the time that is counted after an attempt under way has ended. A late end of one that was given up adds nothing. */
const countedSeconds = (until: string) => () =>
  `counted_seconds + CASE WHEN ended_at IS NULL AND started_at IS NOT NULL
    THEN greatest(extract(epoch FROM ${until} - coalesce(counted_until, started_at)), 0) ELSE 0 END`;

/** The change of each run that takes this step; all are in the same status. Pure. */
export function changeOf(
  action: RunAction,
  to: RunStatus,
  source: StatusSource,
  details: RunDetails,
): ParameterizedChange {
  const isSame = RUN_TRANSITIONS[action].to === 'same';
  const change = {
    lastSequence: () => 'last_sequence + 1',
    ...(!isSame && { status: to, statusSource: source }),
    ...notedChange(details, source),
    ...(isSame || isOpen({ status: to }) ? {} : endingOf(details)),
    ...ACTION_CHANGES[action]?.(details),
  };
  const { endedAt, delaySeconds = 0 } = details;
  return { change, parameters: { endedAt: endedAt?.toISOString(), delaySeconds } };
}

/** The change of a report that is no step. Pure. */
export function notedChange(
  { progress, waitingReason }: RunDetails,
  source: StatusSource,
): Pick<RunChange, 'progress' | 'waitingReason' | 'lastSeenAt' | 'missedSince'> {
  return {
    ...(progress && { progress: { ...progress } }),
    ...(waitingReason !== undefined && { waitingReason }),
    ...(source === 'agent' && { lastSeenAt: NOW, missedSince: null }),
  };
}

/** The clock of an agent may be wrong, so its time counts only between the start and now. */
function endingOf({ output, error, endedAt }: RunDetails): RunChange {
  const end = endedAt ? `least(${AT}, greatest(coalesce(started_at, queued_at), :endedAt::timestamptz))` : AT;
  return {
    endedAt: () => end,
    countedSeconds: countedSeconds(end),
    countedUntil: null,
    timeoutAt: null,
    claimKey: null,
    waitingReason: null,
    error: error ?? null,
    ...(output !== undefined && { output }),
  };
}

const ACTION_CHANGES: Partial<Record<RunAction, (details: RunDetails) => RunChange>> = {
  take: ({ deployment, claimKey }) => ({
    attempt: () => 'attempt + 1',
    deploymentId: deployment?.id ?? null,
    configVersion: deployment?.configVersion ?? null,
    claimKey: claimKey ?? null,
    startedAt: NOW,
    timeoutAt: () => shifted('now()', '+', 'make_interval(secs => timeout_seconds)'),
  }),
  resume: () => ({ waitingReason: null }),
  give_back: () => ({
    ...NOT_HELD,
    countedSeconds: countedSeconds(AT),
    returnedAttempts: () => 'returned_attempts + 1',
    deploymentId: null,
    configVersion: null,
    availableAt: NOW,
  }),
  request_cancel: () => ({ cancelRequestedAt: NOW }),
  retry: () => ({
    ...NOT_HELD,
    progress: null,
    endedAt: null,
    expiresAt: null,
    availableAt: () => 'now() + make_interval(secs => :delaySeconds)',
  }),
};
