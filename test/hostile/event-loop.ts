import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Maximum stall of the process for one request on an idle machine; milliseconds. */
export const MAXIMUM_STALL_MS = 200;

/**
 * Factor of the limit in tests. Work that grows with the square of a body takes seconds and still fails; work that
 * takes 100 ms on an idle machine does not fail by chance on a busy one.
 */
const MARGIN = 4;

/** JSON that takes some 25 ms to parse and serialise on an idle machine: the measure of how busy this one is. */
const YARDSTICK = JSON.stringify(
  Array.from({ length: 20_000 }, (_, at) => ({ id: at, name: `entry ${at}`, at: [at] })),
);
const YARDSTICK_MS = 25;

/**
 * The longest stall of the event loop during some work; milliseconds. The service runs in the test's process, so the
 * figure includes the test's own work.
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

/** The limit for a stall with its margin, multiplied by the present slowness of the machine. */
function stallLimit(): number {
  const begun = performance.now();
  JSON.stringify(JSON.parse(YARDSTICK));
  return MAXIMUM_STALL_MS * MARGIN * Math.max(1, (performance.now() - begun) / YARDSTICK_MS);
}

/**
 * Fails if each of three tries stalls the process for too long. The best one counts, because other programs on the
 * machine and the garbage collector cause stalls too.
 *
 * @param work sends one request
 */
export async function expectNoStall(work: () => Promise<unknown>): Promise<void> {
  const stalls: string[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const stall = await longestStall(work);
    // The measurement takes longer than most work, so it runs only after a stall that is too long for an idle machine.
    if (stall <= MAXIMUM_STALL_MS * MARGIN) return;
    const limit = stallLimit();
    if (stall <= limit) return;
    stalls.push(`${Math.round(stall)} ms (limit ${Math.round(limit)} ms)`);
  }
  throw new Error(`The event loop stood still for ${stalls.join(', ')}`);
}
