import '../http-server/required-node.js';
import { join } from 'node:path';
import { pino } from 'pino';
import { build as pretty } from 'pino-pretty';
import { printableJson, printableText } from '../http-server/printable-log.js';
import { onStopSignal } from '../http-server/stop-signals.js';
import { WebServer } from './web-server.js';
import { readWebSettings, type WebSettings } from './web-settings.js';

function createLogger({ LOG_LEVEL, LOG_FORMAT }: WebSettings) {
  const options = { level: LOG_LEVEL, name: 'web' };
  if (LOG_FORMAT === 'json') return pino({ ...options, hooks: { streamWrite: printableJson } });
  const hooks = { streamWrite: printableText };
  return pino(
    { ...options, hooks },
    pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true }),
  );
}

/** Runs the web server's process; it ends like the service's. */
async function main(): Promise<void> {
  const settings = readWebSettings();
  const logger = createLogger(settings);
  // this file is dist/src/web/main.js
  const server = new WebServer(settings, logger, {
    pages: join(import.meta.dirname, 'ui'),
    guide: join(import.meta.dirname, '../../../guide/dist'),
  });

  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= server.stop().then(() => process.exit(0));
  };
  onStopSignal(stop, () => process.exit(1));

  const address = await server.start();
  logger.info({ address, service: settings.SERVICE_URL }, 'ready');
  // `npm start` waits for this message of both servers before it prints their addresses
  if (process.send) process.send({ address });
  else if (settings.LOG_FORMAT === 'pretty') process.stdout.write(`\n  Web  ${address}\n\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
