import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { GCProfiler } from 'node:v8';

/**
 * Preloaded (`node --import`) into each measured process, the service as well as a limit server. It answers questions
 * of the bench over the channel to the parent process.
 */

export type ProbeQuestion =
  | { readonly probe: 'usage' }
  | { readonly probe: 'watch turns' }
  | { readonly probe: 'start profile' }
  | { readonly probe: 'write profile'; readonly file: string };

/** All figures count from the start of the process, but for memory. */
export interface ProcessUsage {
  /** User and system time of all threads; milliseconds. */
  readonly cpuMs: number;
  /** Bytes that V8 has allocated on its heap. */
  readonly allocatedBytes: number;
  /** Time for which garbage collection has stopped the program; milliseconds. */
  readonly collectingMs: number;
  /** Delays of the event loop since they are watched, as in a profile; milliseconds. */
  readonly lateMs: { readonly p99: number; readonly max: number };
  /** Resident memory now; bytes. */
  readonly memoryBytes: number;
}

const MICROSECONDS_IN_A_MILLISECOND = 1_000;
const LATENESS_RESOLUTION_MS = 10;

type Collections = ReturnType<GCProfiler['stop']>;

let collections = new GCProfiler();
collections.start();
let heapBytes = process.memoryUsage().heapUsed;
let allocatedBytes = 0;
let collectingMs = 0;
const lateness = monitorEventLoopDelay({ resolution: LATENESS_RESOLUTION_MS });
let profile: Session | undefined;

/** The heap grows by what is allocated and shrinks only by a collection, of which V8 tells both sizes. */
function countAllocated(statistics: Collections['statistics'], heapBytesNow: number): void {
  for (const { cost, beforeGC, afterGC } of statistics) {
    collectingMs += cost / MICROSECONDS_IN_A_MILLISECOND;
    allocatedBytes += beforeGC.heapStatistics.usedHeapSize - heapBytes;
    heapBytes = afterGC.heapStatistics.usedHeapSize;
  }
  allocatedBytes += heapBytesNow - heapBytes;
  heapBytes = heapBytesNow;
}

function readUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  const memory = process.memoryUsage();
  countAllocated(collections.stop().statistics, memory.heapUsed);
  collections = new GCProfiler();
  collections.start();
  const [p99, max] = [lateness.percentile(99), lateness.max].map((delay) =>
    Math.max(0, delay / 1e6 - LATENESS_RESOLUTION_MS),
  );
  return {
    cpuMs: (user + system) / 1_000,
    allocatedBytes,
    collectingMs,
    lateMs: { p99: p99!, max: max! },
    memoryBytes: memory.rss,
  };
}

async function answer(question: ProbeQuestion): Promise<ProcessUsage> {
  if (question.probe === 'watch turns') lateness.enable();
  else if (question.probe === 'start profile') {
    profile = new Session();
    profile.connect();
    await profile.post('Profiler.enable');
    await profile.post('Profiler.start');
    lateness.enable();
  } else if (question.probe === 'write profile' && profile) {
    const stopped = await profile.post('Profiler.stop');
    await writeFile(question.file, JSON.stringify(stopped.profile));
    profile.disconnect();
  }
  return readUsage();
}

// The bench has ended, and nobody else would end this process.
process.on('disconnect', () => process.exit());
process.on('message', (message: Partial<ProbeQuestion>) => {
  if (message.probe) void answer(message as ProbeQuestion).then((usage) => process.send?.({ usage }));
});
