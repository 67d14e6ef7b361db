import { backoffMs } from '@agent-control-plane/client/internal/backoff';
import { pause } from '@agent-control-plane/client/internal/pause';
import { passingPauseMs } from '../../../passing-failure.js';

/** Failures in succession after which the export ends; the next one continues where it was. */
const MOST_FAILURES = 8;
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Repeats a read whose failure passes by itself: the service asks for a pause, restarts, or is away for a moment.
 *
 * @throws the error if it does not pass, or comes again and again; the signal's reason once it aborts
 */
export async function patiently<Reply>(
  read: () => Promise<Reply>,
  signal: AbortSignal,
  firstMs = FIRST_MS,
): Promise<Reply> {
  for (let failures = 1; ; failures++) {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      const wantedMs = passingPauseMs(error);
      if (failures === MOST_FAILURES) throw error;
      await pause(backoffMs(failures, firstMs, LONGEST_MS, wantedMs), signal);
      signal.throwIfAborted();
    }
  }
}
