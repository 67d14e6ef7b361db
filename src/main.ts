import { holdHeapGrowth, letHeapGrow } from './config/heap-growth.js';
import { readSettings, SettingsError } from './config/settings.js';

/**
 * A terminal sends Ctrl-C to the whole process group, and npm passes it on: the same one may come several times at once.
 * A signal that comes so much later is a second one, from somebody who does not want to wait; milliseconds.
 */
const ANOTHER_SIGNAL_MS = 1_000;

/** The process: reads the settings, runs the service, and ends it in order when it is told to. */
async function main(): Promise<void> {
  const settings = readSettings();
  holdHeapGrowth();
  // Everything else is loaded only now.
  const { createLogger } = await import('./config/logger.js');
  const { Service } = await import('./service.js');
  const logger = createLogger(settings);
  const service = new Service(settings, logger);

  let stopping: Promise<void> | undefined;
  let toldAt = 0;
  const stop = (code: number) => {
    stopping ??= service.stop().then(
      (unfinished) => {
        if (unfinished.length > 0) logger.error({ unfinished }, 'the service did not end in time');
        process.exit(unfinished.length > 0 ? 1 : code);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'the service did not end cleanly');
        process.exit(1);
      },
    );
  };
  const stopOrEnd = (signal: NodeJS.Signals) => {
    toldAt ||= performance.now();
    if (performance.now() - toldAt >= ANOTHER_SIGNAL_MS) {
      logger.warn({ signal }, 'told to end a second time: ending at once');
      process.exit(1);
    }
    stop(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopOrEnd);
  // Started by `npm start`: when that process is gone, however it ended, nobody is left to end this one.
  if (process.send) process.on('disconnect', () => stop(0));

  try {
    await service.start();
    letHeapGrow();
  } catch (error) {
    if (stopping) return;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    stop(1);
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
