/** From the least to the most severe. */
export const LOG_LEVELS = ['debug', 'info', 'warning', 'error', 'critical'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const namesOfLevels = new Map<string, LogLevel>([
  ...LOG_LEVELS.map((level) => [level, level] as const),
  ['warn', 'warning'],
  ['fatal', 'critical'],
]);

/** The level for a name, in any case, with synonyms; undefined for an unknown name. */
export function logLevelOf(name: string): LogLevel | undefined {
  return namesOfLevels.get(name.toLowerCase());
}

export function levelsFrom(minimum: LogLevel): readonly LogLevel[] {
  return LOG_LEVELS.slice(LOG_LEVELS.indexOf(minimum));
}
