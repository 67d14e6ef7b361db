import type { Run } from '@agent-control-plane/client';

export type RunStatus = Run['status'];

/** The statuses in the order of a run's life. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'abandoned',
] as const satisfies RunStatus[];

/** Returns true if a run has not ended. */
export function isOpenRun({ status }: Pick<Run, 'status'>): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting';
}

/** A run's status, and what its agent or the service says about it: `queued: the agent is offline`. */
export function runState(run: Run): string {
  const about = runDetail(run);
  return about === null ? run.status : `${run.status}: ${about}`;
}

/** Why a run failed or waits, else how far it is; null if nothing is known. */
export function runDetail(run: Run): string | null {
  return run.error ?? (isOpenRun(run) ? (run.waiting_reason ?? progressText(run)) : null);
}

/** `40 %, reading page 4 of 10`; null without a report. */
export function progressText({ progress }: Pick<Run, 'progress'>): string | null {
  if (progress === null) return null;
  const { percent, message } = progress;
  return [percent === undefined ? '' : `${percent} %`, message].filter(Boolean).join(', ') || null;
}
