/**
 * How long to wait after so many failures, from 1; milliseconds. It doubles each time, up to the longest; jitter of up to
 * a half keeps clients that failed together from coming back together.
 */
export function backoffMs(failures: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}
