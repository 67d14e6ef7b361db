import 'reflect-metadata';
import { createLogger } from './config/logger.js';
import { readSettings, SettingsError } from './config/settings.js';
import { hasTraces } from './config/tracing.js';
import { onStopSignal } from './http-server/stop-signals.js';
import { Service } from './service.js';

/** The process: reads the settings, runs the service, and ends it in order on a signal. */
async function main(): Promise<void> {
  const settings = readSettings();
  const logger = createLogger(settings);
  const endTraces = hasTraces(settings)
    ? (await import('./observability/otlp-traces.js')).startTraces(logger)
    : undefined;
  const service = new Service(settings, logger);

  let stopping: Promise<void> | undefined;
  const stop = (code: number) => {
    stopping ??= service.stop().then(
      async (unfinished) => {
        await endTraces?.().catch(() => undefined);
        if (unfinished.length > 0) logger.error({ unfinished }, 'the service did not shut down in time');
        process.exit(unfinished.length > 0 ? 1 : code);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'the service did not shut down cleanly');
        process.exit(1);
      },
    );
  };
  onStopSignal(
    () => stop(0),
    (signal) => {
      logger.warn({ signal }, 'received a second signal: ending at once');
      process.exit(1);
    },
  );

  try {
    await service.start();
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
