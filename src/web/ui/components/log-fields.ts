/** Text that is the same in JSON, without the quotes. */
const SIMPLE = /^[^"\\\s]+$/;

/**
 * Metadata of a line as `key=value` each, in the form in which the service searches it. Only text with spaces, quotes or
 * backslashes keeps its quotes.
 */
export function fieldsOf(metadata: Readonly<Record<string, unknown>> | null | undefined): string[] {
  return Object.entries(metadata ?? {}).map(([key, value]) => `${key}=${fieldText(value)}`);
}

/** All metadata of a line in one text. */
export const fieldsText = (metadata: Readonly<Record<string, unknown>> | null | undefined): string =>
  fieldsOf(metadata).join(' ');

function fieldText(value: unknown): string {
  if (typeof value === 'string' && SIMPLE.test(value)) return value;
  if (Array.isArray(value)) return `[${value.map(itemText).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${fieldsOf(value as Record<string, unknown>).join(', ')}}`;
  return JSON.stringify(value);
}

/** Text in an array keeps its quotes, because it has no key. */
const itemText = (item: unknown): string =>
  typeof item === 'string' ? JSON.stringify(item) : fieldText(item);
