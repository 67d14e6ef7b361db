import { join } from 'node:path';
import { pino } from 'pino';
import { build as pretty } from 'pino-pretty';
import { WebServer } from './web-server.js';
import { readWebSettings, type WebSettings } from './web-settings.js';

function createLogger({ LOG_LEVEL, LOG_FORMAT }: WebSettings) {
  const options = { level: LOG_LEVEL, name: 'web' };
  if (LOG_FORMAT === 'json') return pino(options);
  return pino(options, pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true }));
}

/**
 * Shortest time between two signals that count as separate; milliseconds. A terminal sends Ctrl-C to the whole process
 * group, and `npm start` forwards it, so one Ctrl-C may arrive several times. A later signal ends the process at once.
 */
const ANOTHER_SIGNAL_MS = 1_000;

/** Runs the web server's process; it ends like the service's. */
async function main(): Promise<void> {
  const settings = readWebSettings();
  const logger = createLogger(settings);
  const server = new WebServer(settings, logger, join(import.meta.dirname, 'ui'));

  let stopping: Promise<void> | undefined;
  let toldAt = 0;
  const stop = () => {
    stopping ??= server.stop().then(() => process.exit(0));
  };
  const stopOrEnd = () => {
    toldAt ||= performance.now();
    if (performance.now() - toldAt >= ANOTHER_SIGNAL_MS) process.exit(1);
    stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopOrEnd);
  if (process.send) process.on('disconnect', stop);

  const address = await server.start();
  logger.info({ address, service: settings.SERVICE_URL }, 'ready');
  // `npm start` waits for this message of both servers before it prints their addresses
  if (process.send) process.send({ address });
  else process.stdout.write(`\n  Web  ${address}\n\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
