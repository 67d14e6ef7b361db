/** Minimum pause, whatever the jitter: a call that fails at once would be repeated in a tight loop. */
const SHORTEST_MS = 100;

/**
 * The pause before the next attempt; milliseconds. Full jitter: a random time up to a ceiling that doubles with each
 * failure, so that clients which failed together don't return together.
 *
 * @param failures so far, from 1
 * @param firstMs the ceiling of the first pause
 * @param longestMs the ceiling of all later ones
 * @param wantedMs the `Retry-After` of the service: it is obeyed in full, and the jitter is added
 */
export function backoffMs(
  failures: number,
  firstMs: number,
  longestMs: number,
  wantedMs = 0,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(SHORTEST_MS, wantedMs, wantedMs + random() * ceiling);
}
