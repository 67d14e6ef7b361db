import type { LogLevel } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { printRecord } from '../../output/record.js';

/** The level of the log, in the form that every command prints. */
export function printLogLevel(context: Context, logLevel: LogLevel): void {
  printRecord(context, logLevel, [
    ['Level', logLevel.level],
    ['Until', logLevel.until],
    ['Set', logLevel.set_at],
    ['By', logLevel.set_by],
  ]);
}
