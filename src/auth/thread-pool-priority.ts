import { readdir, readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';

/**
 * Steps of niceness below the process: while both need a core, the event loop gets three times as much as a hash. Ten
 * steps would leave a hash a tenth of a core if other processes of the same session keep all cores busy: a login would
 * take two seconds.
 */
const NICER_BY = 5;
const NICEST = 19;
const THREADS = '/proc/self/task';
/** Name of the threads of libuv's pool. */
const POOL_THREAD = 'libuv-worker';

/**
 * Lowers the priority of libuv's threads, in which bcrypt hashes. A hash takes a core for 0.2 s: with equal priority, a
 * few logins multiply the latency of all requests on two cores. Compressed bodies, names and files are processed in the
 * same threads, and get the lower priority too.
 *
 * Only Linux has a niceness for each thread; elsewhere, and without `/proc`, nothing changes.
 */
export async function lowerThreadPoolPriority(): Promise<void> {
  if (process.platform !== 'linux') return;
  const priority = Math.min(NICEST, getPriority() + NICER_BY);
  for (const thread of await poolThreads()) setPriority(thread, priority);
}

/** @returns the kernel ids of the pool's threads, which all start with its first task, the reading of the directory */
export async function poolThreads(): Promise<number[]> {
  const ids = await readdir(THREADS).catch(() => []);
  const names = await Promise.all(
    // Another thread may have ended in the meantime.
    ids.map((id) => readFile(join(THREADS, id, 'comm'), 'utf8').catch(() => '')),
  );
  return ids.filter((_, index) => names[index]!.trim() === POOL_THREAD).map(Number);
}
