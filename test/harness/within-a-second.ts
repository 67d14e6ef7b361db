import { until } from './until.js';

/** Promised maximum time until a change takes effect on all instances; milliseconds. */
const PROMISED_MS = 1_000;

/**
 * Waits until a change has taken effect, and checks the promised time on any machine: the time at which a request was
 * sent counts, not that of its reply. The reply to the change must have arrived before this call.
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
