import { holdHeapGrowth, letHeapGrow } from './config/heap-growth.js';
import { readSettings, SettingsError } from './config/settings.js';

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
  const stop = (code: number) => {
    stopping ??= service.stop().then(
      () => process.exit(code),
      (error: unknown) => {
        logger.error({ err: error }, 'the service did not end cleanly');
        process.exit(1);
      },
    );
  };
  // A terminal sends Ctrl-C to the whole process group, so the same signal may well come twice: the first counts.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
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
