import type { Colors } from 'picocolors/types.js';
import type { LogRecord } from '@agent-control-plane/client';
import { paintStatus } from './paint.js';
import { printable, printableLine } from './printable.js';

/** As wide as `critical`. */
const LEVEL_WIDTH = 8;

/**
 * One record of a log. Further lines of its message are indented: a message can't pass for a record of its own.
 */
export function logLine({ timestamp, level, message, metadata }: LogRecord, colors: Colors): string {
  const text = printable(message).replaceAll('\n', '\n    ');
  const hasMetadata = metadata !== null && Object.keys(metadata).length > 0;
  const details = hasMetadata ? `  ${colors.dim(printableLine(JSON.stringify(metadata)))}` : '';
  return `${colors.dim(printableLine(timestamp))}  ${paintStatus(level.padEnd(LEVEL_WIDTH), colors)}  ${text}${details}`;
}
