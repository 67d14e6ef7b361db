import { errorLineOf } from '@agent-control-plane/client/internal/error-line';
import type { Run } from '@agent-control-plane/client';

/** A status for people: `timed out`. */
export const statusWord = (status: string): string => status.replaceAll('_', ' ');

export const SOURCES: readonly { readonly value: Run['source']; readonly label: string }[] = [
  { value: 'api', label: 'asked for' },
  { value: 'schedule', label: 'by a schedule' },
  { value: 'agent', label: 'started by the agent' },
];

/** The origin of a run, for people. */
export const sourceWord = (source: Run['source']): string =>
  SOURCES.find(({ value }) => value === source)?.label ?? source;

/**
 * One line about a run's state: its error (of a stack trace the line of its exception), what its agent waits for, or how far it
 * is; null: there is nothing to say.
 */
export function remarkOf({
  error,
  waiting_reason,
  progress,
  cancel_requested_at,
  ended_at,
}: Run): string | null {
  if (error !== null) return errorLineOf(error) ?? error;
  if (ended_at !== null) return null;
  if (cancel_requested_at !== null) return 'cancelling';
  return waiting_reason ?? progressText(progress);
}

/** `40 %, reading page 4`; null: nothing was reported. */
export function progressText(progress: Run['progress']): string | null {
  if (progress === null) return null;
  const { percent, message } = progress;
  const parts = [percent === undefined ? null : `${Math.round(percent)} %`, message ?? null];
  return parts.filter((it) => it !== null && it !== '').join(', ') || null;
}
