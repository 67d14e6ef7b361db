import type { Context } from '../context.js';
import { CommandFailedError } from '../failures.js';
import { didYouMean } from '../nearest-name.js';
import { printable, printableJson } from './printable.js';

/** Prints one document, indented, for people and programs. */
export function printJson(context: Context, value: unknown): void {
  printView(context, value, 2);
}

/** Prints one document on one line, for endless output. */
export function printJsonLine(context: Context, value: unknown): void {
  printView(context, value);
}

function printView(
  { terminal, view: { fields, jq, form } }: Context,
  value: unknown,
  indentation?: number,
): void {
  const shown = fields ? withFields(value, fields) : value;
  if (form) return terminal.print(form(shown, indentation === undefined));
  if (!jq) return terminal.print(printableJson(shown, indentation));
  jq.print(JSON.stringify(shown), (text) => terminal.print(printable(text)));
}

/** @throws CommandFailedError for a field that no object has */
export function withFields(value: unknown, fields: readonly string[]): unknown {
  const rows = (Array.isArray(value) ? value : [value]) as Record<string, unknown>[];
  const known = new Set(rows.flatMap((row) => Object.keys(row)));
  const unknown = fields.find((field) => rows.length > 0 && !known.has(field));
  if (unknown !== undefined)
    throw new CommandFailedError(
      `Unknown field "${unknown}"${didYouMean(unknown, [...known])}. Fields: ${[...known].join(', ')}`,
    );
  const picked = rows.map((row) =>
    Object.fromEntries(
      fields.filter((field) => Object.hasOwn(row, field)).map((field) => [field, row[field]]),
    ),
  );
  return Array.isArray(value) ? picked : picked[0];
}
