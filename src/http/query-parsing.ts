import { parse } from 'node:querystring';
import { storable } from './body-parsing.js';

/** For Express's `query parser`: flat parameters only, and an empty value means that the parameter is absent. */
export function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(parse(text))) {
    if (value === undefined || value === '') continue;
    query[name] = Array.isArray(value) ? value.map(storable) : storable(value);
  }
  return query;
}
