import { until } from './until.js';

/** Promised time until a change is in effect on all instances; milliseconds. */
const PROMISED_MS = 1_000;

/**
 * Waits until a change is felt, and holds the service to its promise, however slow the machine is: what counts is
 * when a request was sent, not when its answer came. The change must have been answered before this is called.
 *
 * @param isFelt sends one request
 */
export async function withinASecond(isFelt: () => Promise<boolean>): Promise<void> {
  const changedAt = performance.now();
  await until(async () => {
    const sentAfterMs = performance.now() - changedAt;
    const answer = await isFelt();
    if (!answer && sentAfterMs > PROMISED_MS)
      throw new Error(`A request sent ${Math.round(sentAfterMs)} ms after the change did not feel it`);
    return answer;
  });
}
