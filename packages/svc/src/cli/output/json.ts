import type { Context } from '../context.js';
import { printableJson } from './printable.js';

/** One document, indented, for people who look and programs that parse. */
export function printJson({ terminal }: Context, value: unknown): void {
  terminal.print(printableJson(value, 2));
}

/** One document on one line, for what does not end. */
export function printJsonLine({ terminal }: Context, value: unknown): void {
  terminal.print(printableJson(value));
}
