import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { GCProfiler } from 'node:v8';

/**
 * Preloaded (`node --import`) into each measured process, the service as well as a limit server. It answers questions
 * of the bench over the channel to the parent process.
 */

export type ProbeQuestion =
  | { readonly probe: 'usage' }
  | { readonly probe: 'start profile' }
  | { readonly probe: 'write profile'; readonly file: string };

/** All figures count from the start of the process, but for memory. */
export interface ProcessUsage {
  /** User and system time of all threads; milliseconds. */
  readonly cpuMs: number;
  /** Bytes that V8 has allocated on its heap. */
  readonly allocatedBytes: number;
  /** Resident memory now; bytes. */
  readonly memoryBytes: number;
}

type Collections = ReturnType<GCProfiler['stop']>;

let collections = new GCProfiler();
collections.start();
let heapBytes = process.memoryUsage().heapUsed;
let allocatedBytes = 0;
let profile: Session | undefined;

/** The heap grows by what is allocated and shrinks only by a collection, of which V8 tells both sizes. */
function countAllocated(statistics: Collections['statistics'], heapBytesNow: number): void {
  for (const { beforeGC, afterGC } of statistics) {
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
  return { cpuMs: (user + system) / 1_000, allocatedBytes, memoryBytes: memory.rss };
}

async function answer(question: ProbeQuestion): Promise<ProcessUsage> {
  if (question.probe === 'start profile') {
    profile = new Session();
    profile.connect();
    await profile.post('Profiler.enable');
    await profile.post('Profiler.start');
  } else if (question.probe === 'write profile' && profile) {
    const stopped = await profile.post('Profiler.stop');
    await writeFile(question.file, JSON.stringify(stopped.profile));
    profile.disconnect();
  }
  return readUsage();
}

process.on('message', (message: Partial<ProbeQuestion>) => {
  if (message.probe) void answer(message as ProbeQuestion).then((usage) => process.send?.({ usage }));
});
