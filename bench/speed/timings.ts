import { setImmediate as turn } from 'node:timers/promises';
import type { Sample } from './section.js';

/**
 * Repeats a task sequentially for so many seconds, at least once.
 *
 * @param once one repetition; @returns how long it took, in milliseconds
 */
export async function repeated(seconds: number, once: () => Promise<number>): Promise<Sample> {
  const end = performance.now() + seconds * 1_000;
  const times: number[] = [];
  do {
    times.push(await once());
    await turn();
  } while (performance.now() < end);
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.ceil(share * times.length) - 1]!;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
