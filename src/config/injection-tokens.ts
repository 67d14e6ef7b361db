/** Injection token of the `Settings` (settings.ts). */
export const SETTINGS = Symbol('SETTINGS');

/** Injection token of the pino logger (logger.ts). */
export const LOGGER = Symbol('LOGGER');
