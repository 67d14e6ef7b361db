import { setImmediate, setTimeout as delay } from 'node:timers/promises';

/**
 * Resolves as the answer does, or as `late` after a time. An answer that has arrived counts, also if this process was
 * blocked and had no time to read it: Node runs timers that have ended before it reads.
 *
 * @param late makes what counts as the answer, or throws
 */
export async function answerInTime<T>(answer: Promise<T>, withinMs: number, late: () => T): Promise<T> {
  const answered = new AbortController();
  const timeout = delay(withinMs, undefined, { ref: false, signal: answered.signal })
    .then(() => setImmediate())
    .then(late);
  // Nobody waits for the timeout once the answer is there.
  timeout.catch(() => undefined);
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    answered.abort();
  }
}
