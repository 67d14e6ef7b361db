import type { Colors } from 'picocolors/types.js';
import type { LogRecord } from '@agent-control-plane/client';
import { paintStatus } from './paint.js';
import { printable, printableLine } from './printable.js';

/** A record, with its agent's name in a list of several agents. */
export type ShownLog = LogRecord & { readonly agent_name?: string };

/** The length of `critical`. */
const LEVEL_WIDTH = 8;

/** One record of a log. Further lines of its message are indented, so that they can't be mistaken for other records. */
export function logLine(record: ShownLog, colors: Colors): string {
  const { timestamp, level, message, metadata, agent_name: name } = record;
  const text = printable(message).replaceAll('\n', '\n    ');
  const hasMetadata = metadata !== null && Object.keys(metadata).length > 0;
  return [
    colors.dim(printableLine(timestamp)),
    paintStatus(level.padEnd(LEVEL_WIDTH), colors),
    ...(name === undefined ? [] : [colors.cyan(printableLine(name))]),
    text,
    ...(hasMetadata ? [colors.dim(printableLine(JSON.stringify(metadata)))] : []),
  ].join('  ');
}
