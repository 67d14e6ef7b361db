/**
 * Time after which a repeated signal counts as a second one, from a person who does not want to wait; milliseconds. A
 * terminal sends Ctrl-C to the whole process group, and npm forwards it, so the first signal may arrive several times
 * at once.
 */
const ANOTHER_SIGNAL_MS = 1_000;

/**
 * Registers what to do when the process shall end: by SIGINT, SIGTERM or SIGHUP, or because `npm start`, its parent,
 * has ended.
 *
 * @param stop ends in order; it may be called several times
 * @param stopNow ends at once; called for a second signal
 */
export function onStopSignal(stop: () => void, stopNow: (signal: NodeJS.Signals) => void): void {
  let toldAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      toldAt ||= performance.now();
      if (performance.now() - toldAt >= ANOTHER_SIGNAL_MS) stopNow(signal);
      else stop();
    });
  }
  if (process.send) process.on('disconnect', stop);
}
