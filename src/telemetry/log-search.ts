import type { LogFilter } from './telemetry.types.js';

/**
 * Returns true for a filter that no index serves: entries are then read one by one until enough match. The partial
 * indexes hold warnings and what is more severe.
 */
export function isSearch({ level, minLevel, replica, text }: LogFilter): boolean {
  const isIndexed = minLevel === undefined || minLevel === 'debug' || minLevel === 'warning';
  return [level, replica, text].some((value) => value !== undefined) || !isIndexed;
}
