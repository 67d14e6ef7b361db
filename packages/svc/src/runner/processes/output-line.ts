import type { LogEntry } from '@agent-control-plane/client';
import { parseLargeNumbersAsText } from '@agent-control-plane/client/internal/kept-numbers';

export type OutputStream = 'stdout' | 'stderr';
type LogLevel = LogEntry['level'];

/** Level names of pino, zap, logrus, Python, syslog, Google Cloud and log4j. */
const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['notice', 'info'],
  ['default', 'info'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['err', 'error'],
  ['error', 'error'],
  ['severe', 'error'],
  ['crit', 'critical'],
  ['critical', 'critical'],
  ['fatal', 'critical'],
  ['panic', 'critical'],
  ['dpanic', 'critical'],
  ['alert', 'critical'],
  ['emerg', 'critical'],
  ['emergency', 'critical'],
]);

/** The properties of a line in JSON, by the names that loggers use; the first present one counts. */
const LEVEL_NAMES = ['level', 'severity', '@level', 'levelname', 'lvl'];
/** `event` is used by structlog, `@message` by hclog. */
const MESSAGE_NAMES = ['message', 'msg', '@message', 'event'];
const TIME_NAMES = ['timestamp', 'time', '@timestamp', 'ts'];
/** Minimum time of a log: lower numbers have another meaning; seconds, milliseconds, nanoseconds since 1970. */
const EARLIEST_SECONDS = 978_307_200;

/** A log entry with the line's own time, if it has one. */
export type OutputEntry = Pick<LogEntry, 'level' | 'message' | 'metadata' | 'timestamp'>;

/** Returns true if a line may be a complete entry in JSON. */
export function isJson(line: string): boolean {
  return line.startsWith('{') && line.endsWith('}');
}

/**
 * A line of output, or the lines of a stack trace, as a log entry. JSON with a level and a message is converted;
 * anything else is text.
 */
export function entryOf(line: string, stream: OutputStream): OutputEntry {
  const parsed = isJson(line) ? structured(line) : undefined;
  // `warning`, not `error`, because programs write much to standard error that is no error
  return parsed ?? { level: stream === 'stdout' ? 'info' : 'warning', message: line };
}

function structured(line: string): OutputEntry | undefined {
  let fields: Record<string, unknown>;
  try {
    fields = parseLargeNumbersAsText(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const [levelName, messageName, timeName] = [LEVEL_NAMES, MESSAGE_NAMES, TIME_NAMES].map((names) =>
    names.find((name) => Object.hasOwn(fields, name)),
  );
  if (levelName === undefined || messageName === undefined) return undefined;
  const { [levelName]: given, [messageName]: message } = fields;
  if (typeof message !== 'string') return undefined;
  const level = levelOf(given);
  const timestamp = timeName === undefined ? undefined : timeOf(fields[timeName]);
  const shown = [
    messageName,
    // a word that is no level is kept, so that it can be searched for
    ...(level === undefined ? [] : [levelName]),
    ...(timestamp === undefined ? [] : [timeName]),
  ];
  const metadata = Object.fromEntries(Object.entries(fields).filter(([name]) => !shown.includes(name)));
  return {
    level: level ?? 'info',
    message,
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

/** A level by name, or by number as in pino and bunyan: 10 is trace, 60 fatal. */
function levelOf(level: unknown): LogLevel | undefined {
  if (typeof level === 'string') return LEVELS.get(level.toLowerCase());
  if (typeof level !== 'number') return undefined;
  if (level >= 60) return 'critical';
  if (level >= 50) return 'error';
  if (level >= 40) return 'warning';
  return level >= 30 ? 'info' : 'debug';
}

/** The time of a line: a text with a date and a zone, or a number since 1970. Anything else is ignored. */
function timeOf(value: unknown): string | undefined {
  // nanoseconds are more than JavaScript can count
  if (typeof value === 'string' && /^\d{16,20}$/.test(value)) return timeOf(Number(value));
  if (typeof value === 'string') {
    const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/.test(value);
    const at = isTime ? Date.parse(value) : NaN;
    return Number.isNaN(at) ? undefined : new Date(at).toISOString();
  }
  if (typeof value !== 'number') return undefined;
  const unit = [1, 1_000, 1_000_000_000].findLast((it) => value / it >= EARLIEST_SECONDS);
  const ms = unit === undefined ? NaN : Math.round((value * 1_000) / unit);
  return ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}
