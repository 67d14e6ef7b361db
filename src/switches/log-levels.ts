/** The levels that operators set, the one with the fewest lines first; `LOG_LEVEL` has `silent`, too. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
