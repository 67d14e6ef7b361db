import { resolve } from 'node:path';
import type { CommandOption } from './command-declaration.js';
import { CommandFailedError, UsageError } from './failures.js';

/** The script that starts `svc`. */
export const SCRIPT = resolve(import.meta.dirname, '../../bin/svc.mjs');

export const serviceNameOption: CommandOption = {
  flags: '--name <name>',
  description: 'the name of the service after svc-run-, for several on one machine (default: svc-run)',
  parse: serviceName,
};

/** The unit of a service, without `.service`. */
export function unitOf(name: string | undefined): string {
  return name === undefined ? 'svc-run' : `svc-run-${name}`;
}

/** @throws CommandFailedError with the command that root would run */
export function assertRoot(words: readonly string[]): void {
  if (process.geteuid?.() === 0) return;
  throw new CommandFailedError(
    `Only root can do that: run sudo ${[process.execPath, SCRIPT, ...words].map(shellWord).join(' ')}`,
  );
}

/** @throws UsageError */
function serviceName(text: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/i.test(text)) return text;
  throw new UsageError('It must be 1 to 40 letters, digits, - and _');
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
