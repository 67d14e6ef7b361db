/**
 * A terminal sends Ctrl-C to the whole process group, and npm passes it on: the same one may come several times at once.
 * A signal that comes so much later is a second one, from somebody who does not want to wait; milliseconds.
 */
const ANOTHER_SIGNAL_MS = 1_000;

/**
 * Calls back when the process is told to end: by SIGINT, SIGTERM or SIGHUP, or because `npm start`, which began it, is
 * gone.
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
