import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for a condition, never for a time.
 *
 * @param timeoutMs after which the test fails; generous, because it only matters when something is broken, and a machine
 *   with other work to do is ten times slower
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  timeoutMs = 30_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value as NonNullable<Exclude<T, false>>;
    if (Date.now() > end) throw new Error(`Not fulfilled within ${timeoutMs} ms: ${condition.toString()}`);
    await delay(10);
  }
}
