import { ConsoleLogger, type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { build as pretty } from 'pino-pretty';
import type { Settings } from './settings.js';

/** Injection token of the pino logger. */
export const LOGGER = Symbol('LOGGER');

/** Of an error, the log keeps type, code, message and stack: statements and their parameters stay out. */
function serializeError(error: Error & { code?: unknown }) {
  const { type, message, stack } = stdSerializers.err(error);
  return { type, code: error.code, message, stack };
}

export function createLogger(settings: Pick<Settings, 'LOG_LEVEL' | 'LOG_FORMAT'>): Logger {
  const destination: DestinationStream | undefined =
    settings.LOG_FORMAT === 'pretty'
      ? pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true })
      : undefined;
  const options = { level: settings.LOG_LEVEL, serializers: { err: serializeError } };
  return destination ? pino(options, destination) : pino(options);
}

/** Nest's own messages: failures reach the log, the chatter of its start does not. */
export class FrameworkLogger extends ConsoleLogger implements LoggerService {
  constructor(private readonly logger: Logger) {
    super();
  }

  override log(): void {}

  override warn(message: unknown): void {
    this.logger.warn(String(message));
  }

  override error(message: unknown, stack?: unknown): void {
    this.logger.error({ stack: typeof stack === 'string' ? stack : undefined }, String(message));
  }
}
