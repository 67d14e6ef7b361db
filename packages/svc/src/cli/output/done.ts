import type { Context } from '../context.js';
import { printJson } from './json.js';
import { printableLine } from './printable.js';

/** Says that something is done that the service answers with nothing. */
export function printDone(context: Context, resource: object, line: string): void {
  if (context.output === 'json') return printJson(context, resource);
  context.terminal.print(printableLine(line));
}
