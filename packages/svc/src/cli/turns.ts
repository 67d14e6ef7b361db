import { backoffMs } from '@agent-control-plane/client/internal/backoff';
import { pause } from '@agent-control-plane/client/internal/pause';
import type { Context } from './context.js';
import { printableLine } from './output/printable.js';
import { passingPauseMs } from './passing-failure.js';

/** Ceiling of the pause after failures. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Looks again and again until the signal aborts, with a pause in between. An outage of the service is noted.
 *
 * @throws what the first look throws, which distinguishes a wrong address from an outage; a refusal of the service
 */
export async function inTurns(context: Context, turnMs: number, look: () => Promise<void>): Promise<void> {
  const { signal, terminal } = context;
  const { yellow } = terminal.noteColors;
  let hasBegun = false;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await look();
      hasBegun = true;
      if (failures > 0) terminal.note(yellow('Connected again'));
      failures = 0;
      await pause(turnMs, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!hasBegun) throw error;
      const wantedMs = passingPauseMs(error);
      failures += 1;
      if (failures === 1)
        terminal.note(yellow(`Connection lost, trying again: ${printableLine((error as Error).message)}`));
      await pause(backoffMs(failures, turnMs, LONGEST_PAUSE_MS, wantedMs), signal);
    }
  }
}
