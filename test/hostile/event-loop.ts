import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** The longest that the process may stand still for one request on a machine of its own; milliseconds. */
export const MAXIMUM_STALL_MS = 200;

/**
 * How much more a test allows. Work that grows with the square of a body takes seconds and is found all the same; work
 * that takes 100 ms on a quiet machine does not fail by chance on a busy one.
 */
const MARGIN = 4;

/** JSON that takes some 25 ms to read and write on a machine of its own: the yardstick of how busy this one is. */
const YARDSTICK = JSON.stringify(
  Array.from({ length: 20_000 }, (_, at) => ({ id: at, name: `entry ${at}`, at: [at] })),
);
const YARDSTICK_MS = 25;

/**
 * How long the event loop stood still at most while some work was done; milliseconds. The service runs in the same
 * process as the test, so the figure holds what the test itself does as well.
 */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  try {
    // A stall is measured from one turn of the meter's timer to the next.
    await delay(20);
    await work();
    await delay(20);
  } finally {
    delays.disable();
  }
  return delays.max / 1e6;
}

/** The limit for a stall with its margin, widened by as much as the machine is slower than a quiet one at this moment. */
function stallLimit(): number {
  const begun = performance.now();
  JSON.stringify(JSON.parse(YARDSTICK));
  return MAXIMUM_STALL_MS * MARGIN * Math.max(1, (performance.now() - begun) / YARDSTICK_MS);
}

/**
 * Fails when each of three tries makes the process stand still for too long. The best one counts, because other
 * programs on the machine and the garbage collector make stalls of their own.
 *
 * @param work sends one request
 */
export async function expectNoStall(work: () => Promise<unknown>): Promise<void> {
  const stalls: string[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const stall = await longestStall(work);
    // The yardstick takes longer than most work. It is asked only about what is too slow for a quiet machine.
    if (stall <= MAXIMUM_STALL_MS * MARGIN) return;
    const limit = stallLimit();
    if (stall <= limit) return;
    stalls.push(`${Math.round(stall)} ms (limit ${Math.round(limit)} ms)`);
  }
  throw new Error(`The event loop stood still for ${stalls.join(', ')}`);
}
