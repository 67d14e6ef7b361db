import { printable, printableJson } from './printable.js';

/** A JSON value for people: a text as it is, anything else as indented JSON. Control characters are escaped. */
export function jsonOrText(value: unknown): string {
  return typeof value === 'string' ? printable(value) : printableJson(value, 2);
}
