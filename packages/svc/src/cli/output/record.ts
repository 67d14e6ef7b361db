import type { Context } from '../context.js';
import { printJson } from './json.js';
import { printable } from './printable.js';

/** A line of a record; one without a value is omitted. */
export type Field = readonly [
  label: string,
  value: string | number | null | undefined,
  paint?: (text: string) => string,
];

/** Prints one resource: a line for each field, or the service's own JSON. */
export function printRecord(context: Context, resource: unknown, fields: readonly Field[]): void {
  if (context.output === 'json') return printJson(context, resource);
  const shown = fields.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...shown.map(([label]) => label.length));
  const { bold } = context.terminal.colors;
  for (const [label, value, paint = (text: string) => text] of shown) {
    // further lines of a value are indented below its first one
    const text = printable(String(value)).replaceAll('\n', `\n${' '.repeat(width + 2)}`);
    context.terminal.print(`${bold(label.padEnd(width))}  ${paint(text)}`);
  }
}
