import { LAST_EXIT } from '../../deployments/deployment.response.js';
import type { LastExit } from '../../deployments/runtime-report.types.js';
import { parseIsoTimestamp } from '../../http/time-range.js';
import { cutText } from '../../http/storable-text.js';

/**
 * Reads the last exit of a report. Parts of another type, and codes out of bounds, count as absent, because the rest of
 * the report is still valid. Pure.
 *
 * @returns the value itself if it is no object or has no time; validation refuses it then
 */
export function readLastExit(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? undefined;
  const { code, signal, message, at } = value as Partial<Record<string, unknown>>;
  const time = typeof at === 'string' ? parseIsoTimestamp(at) : undefined;
  if (!time) return 'no time';
  return {
    ...(isCode(code) && { code }),
    ...(typeof signal === 'string' && signal !== '' && { signal: cutText(signal, LAST_EXIT.maximumSignal) }),
    ...(typeof message === 'string' &&
      message !== '' && { message: cutText(message, LAST_EXIT.maximumMessage) }),
    at: time.toISOString(),
  } satisfies LastExit;
}

function isCode(value: unknown): value is number {
  const { minimumCode, maximumCode } = LAST_EXIT;
  return Number.isInteger(value) && Number(value) >= minimumCode && Number(value) <= maximumCode;
}
