import { parse } from 'node:querystring';
import { storable } from './storable-text.js';

/** For Express's `query parser`: flat parameters only, and an empty value means that the parameter is absent. */
export function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(parse(text))) {
    const values = [value ?? []].flat().filter((given) => given !== '');
    if (values.length === 0 || name === '__proto__') continue;
    query[name] = values.length === 1 ? storable(values[0]!) : values.map(storable);
  }
  return query;
}
