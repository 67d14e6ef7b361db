import type * as Passkeys from './passkeys.js';

/** The module that asks browsers for passkeys, read with the first question; in one place, as lazy-charts.ts says. */
const passkeys = (): Promise<typeof Passkeys> => import('./passkeys.js');

export const askForPasskey: typeof Passkeys.askForPasskey = async (options) =>
  (await passkeys()).askForPasskey(options);

export const makePasskey: typeof Passkeys.makePasskey = async (options) =>
  (await passkeys()).makePasskey(options);
