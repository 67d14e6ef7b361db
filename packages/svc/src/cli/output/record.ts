import type { Colors } from 'picocolors/types.js';
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
  for (const line of recordLines(fields, context.terminal.colors)) context.terminal.print(line);
}

/** The lines of a record. */
export function recordLines(fields: readonly Field[], { bold }: Colors): string[] {
  const shown = fields.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown.map(([label, value, paint = (text: string) => text]) => {
    // further lines of a value are indented below its first one
    const text = printable(String(value)).replaceAll('\n', `\n${' '.repeat(width + 2)}`);
    return `${bold(label.padEnd(width))}  ${paint(text)}`;
  });
}
