const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Delays after the first failed attempt, the second, and so on; seconds. After the last retry the message has failed.
 */
export const RETRY_DELAYS_SECONDS: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Jitter: messages that failed together are not retried together. Up to a fifth later, never earlier. */
const JITTER = 0.2;
/** Maximum `Retry-After` of a receiver that is obeyed; seconds. */
const LONGEST_RETRY_AFTER_SECONDS = 10 * HOUR;

/**
 * The delay before the next attempt, in seconds from now.
 *
 * @param failures attempts that failed since the message was queued, including this one; at least 1
 * @param retryAfterSeconds the `Retry-After` of the receiver
 * @param random from 0 to 1
 * @returns null after the last retry
 */
export function nextDelaySeconds(
  failures: number,
  retryAfterSeconds: number | null,
  random: () => number = Math.random,
): number | null {
  const scheduled = RETRY_DELAYS_SECONDS[failures - 1];
  if (scheduled === undefined) return null;
  const asked = Math.min(retryAfterSeconds ?? 0, LONGEST_RETRY_AFTER_SECONDS);
  return Math.max(scheduled, asked) * (1 + JITTER * random());
}

/**
 * Reads a `Retry-After` header: seconds, or a date (RFC 9110, 10.2.3).
 *
 * @returns seconds from now, null if the header is invalid
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // The form is checked first: `Date.parse` accepts many texts that are no HTTP date.
  if (!/^[A-Z][a-z]{2,8}, .* GMT$/.test(header)) return null;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}
