import type { Context } from '../context.js';
import { printJson } from './json.js';
import { printableLine } from './printable.js';

/** Prints the success of a request whose reply has no body. */
export function printDone(context: Context, resource: object, line: string): void {
  if (context.output === 'json') return printJson(context, resource);
  context.terminal.print(printableLine(line));
}
