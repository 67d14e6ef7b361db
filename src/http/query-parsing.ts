import { parse } from 'node:querystring';
import { storable } from './storable-text.js';

/** Express's `query parser`: flat parameters only; a parameter with an empty value counts as absent. */
export function parseQuery(text: string | null): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  if (!text) return query;
  for (const [name, value] of Object.entries(parse(text))) {
    const values = [value ?? []].flat().filter((given) => given !== '');
    if (values.length === 0 || name === '__proto__') continue;
    query[name] = values.length === 1 ? storable(values[0]!) : values.map(storable);
  }
  return query;
}
