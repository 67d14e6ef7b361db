import type { LogEntry } from '@agent-control-plane/client';

export type OutputStream = 'stdout' | 'stderr';
type LogLevel = LogEntry['level'];

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
  fatal: 'critical',
  critical: 'critical',
};

/** A line of output, or the lines of a stack trace, as a log entry. JSON with a level and a message is taken as that; anything else is text. */
export function entryOf(
  line: string,
  stream: OutputStream,
): Pick<LogEntry, 'level' | 'message' | 'metadata'> {
  const parsed = line.startsWith('{') && line.endsWith('}') ? structured(line) : undefined;
  // much that is written to standard error is no error
  return parsed ?? { level: stream === 'stdout' ? 'info' : 'warning', message: line };
}

function structured(line: string): Pick<LogEntry, 'level' | 'message' | 'metadata'> | undefined {
  try {
    const { level: given, message, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const level = levelOf(given);
    const text = message ?? msg;
    if (level === undefined || typeof text !== 'string') return undefined;
    return { level, message: text, ...(Object.keys(rest).length > 0 ? { metadata: rest } : {}) };
  } catch {
    return undefined;
  }
}

/** By name, or by number as pino and bunyan count: 10 is trace, 60 fatal. */
function levelOf(level: unknown): LogLevel | undefined {
  if (typeof level === 'string') return LEVELS[level.toLowerCase()];
  if (typeof level !== 'number') return undefined;
  if (level >= 60) return 'critical';
  if (level >= 50) return 'error';
  if (level >= 40) return 'warning';
  return level >= 30 ? 'info' : 'debug';
}
