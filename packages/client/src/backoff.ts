/** No pause is shorter, whatever chance says: what fails at once would be tried in a tight loop. */
const SHORTEST_MS = 100;

/**
 * How long to wait before the next attempt; milliseconds. Full jitter: anything up to a ceiling that doubles with each
 * failure, so that clients which failed together don't come back together.
 *
 * @param failures so far, from 1
 * @param firstMs the ceiling of the first pause
 * @param longestMs the ceiling of all later ones
 * @param wantedMs the `Retry-After` of the service: it is waited for in full, and the jitter comes on top
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
