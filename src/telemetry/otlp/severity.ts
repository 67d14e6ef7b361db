import { type LogLevel, logLevelOf } from '../log-level.js';

/** The level for each range of four severity numbers, from 1 on: TRACE, DEBUG, INFO, WARN, ERROR, FATAL. */
const LEVELS_OF_RANGES: readonly LogLevel[] = ['debug', 'debug', 'info', 'warning', 'error', 'critical'];

/** The level of a record: by its severity number, else by its severity text if that is a level, else `info`. */
export function levelOfSeverity(severityNumber: number, severityText: string): LogLevel {
  return LEVELS_OF_RANGES[Math.floor((severityNumber - 1) / 4)] ?? logLevelOf(severityText) ?? 'info';
}
