const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** After the first failed attempt, the second, and so on; seconds. After the last of them nothing more is tried. */
export const RETRY_DELAYS_SECONDS: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Jitter: messages that failed together don't come again together. Up to a fifth later, never sooner. */
const JITTER = 0.2;
/** A receiver may ask for more patience than the schedule has, but not for ever; seconds. */
const LONGEST_RETRY_AFTER_SECONDS = 10 * HOUR;

/**
 * When to try again, in seconds from now.
 *
 * @param failures attempts that failed since the message was queued, this one among them; at least 1
 * @param retryAfterSeconds the `Retry-After` of the receiver
 * @param random from 0 to 1
 * @returns null when the schedule is over
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
 * @returns seconds from now, null when it says nothing that can be read
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // Dates alone: `Date.parse` takes much that is none.
  if (!/^[A-Z][a-z]{2,8}, .* GMT$/.test(header)) return null;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}
