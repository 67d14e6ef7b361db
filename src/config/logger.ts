import { ConsoleLogger, type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { build as pretty } from 'pino-pretty';
import { printableJson, printableText } from '../http-server/printable-log.js';
import type { Settings } from './settings.js';

/** Type, code, message and stack of an error. Statements and their parameters are left out, because they may hold secrets. */
function serializeError(error: Error & { code?: unknown }) {
  const { type, message, stack } = stdSerializers.err(error);
  return { type, code: error.code, message, stack };
}

/** @param destination absent: standard output */
export function createLogger(
  settings: Pick<Settings, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  destination?: DestinationStream,
): Logger {
  const options = { level: settings.LOG_LEVEL, serializers: { err: serializeError } };
  if (settings.LOG_FORMAT === 'json') {
    const hooks = { streamWrite: printableJson };
    return destination ? pino({ ...options, hooks }, destination) : pino({ ...options, hooks });
  }
  const form = { ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true };
  return pino({ ...options, hooks: { streamWrite: printableText } }, pretty({ ...form, destination }));
}

/** Logger for Nest's own messages. Warnings and errors are logged, messages about its start are not. */
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
