import { setTimeout as delay } from 'node:timers/promises';

/**
 * First pause between two checks, milliseconds: a check is often a request, which takes more processor time than the
 * wait saves.
 */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/**
 * Waits for a condition, never for a time.
 *
 * @param timeoutMs after which the test fails; generous, because it only matters after a fault, and a machine with
 * other work to do is ten times slower
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  timeoutMs = 30_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = Date.now() + timeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE_MS)) {
    const value = await condition();
    if (value) return value as NonNullable<Exclude<T, false>>;
    if (Date.now() > end) throw new Error(`Not fulfilled within ${timeoutMs} ms: ${condition.toString()}`);
    await delay(pause);
  }
}
