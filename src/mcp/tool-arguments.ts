import { InvalidError } from '../errors/domain-error.js';
import type { ApiOperation, Schema } from './api-operations.js';

/** The arguments of a call, which fit the schema of its tool. */
export type Arguments = Readonly<Record<string, unknown>>;

type Scalar = string | number | boolean;

/** The request of the API that a call of a tool makes. */
export interface ToolRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Parameters by which the API reads a list onwards; a tool's `cursor` has those of them that the API gave. */
const PAGING = ['before', 'before_state', 'skip'];
/** Parameters that no tool has: a count is costly, and no tool shows a secret. */
const LEFT_OUT = ['include_total', 'reveal'];
/** Items of a page that was not asked for in another size: an answer is small, and a page of the API may have 2 MiB. */
const PAGE_ITEMS = 20;
const KEY_HEADER = 'Idempotency-Key';

const CURSOR: Schema = {
  type: 'string',
  description:
    'The `next_cursor` of the previous result, with the same other arguments. Absent: the first page.',
};
const KEY_DESCRIPTION =
  'An id that you choose for this action: repeating the call with the same id returns the first result, and ' +
  'acts only once.';

/** The schema of the arguments of a tool that is one operation. */
export function argumentsOf(operation: ApiOperation): Schema {
  const named = operation.parameters.filter(
    (each) => each.in !== 'header' && !isLeftOut(operation, each.name),
  );
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const { name, schema, description, required: isRequired } of named) {
    properties[name] = { ...schema, ...(description !== undefined && { description }) };
    if (isRequired) required.push(name);
  }
  for (const [name, field] of operation.fields) {
    properties[name] = field.schema;
    if (field.required) required.push(name);
  }
  if (operation.isList) {
    properties.limit = { ...properties.limit, default: PAGE_ITEMS };
    properties.cursor = CURSOR;
  }
  const key = keyOf(operation);
  // With the bounds of the header: no other text can be sent as one.
  if (key) properties.idempotency_key = { ...key.schema, description: KEY_DESCRIPTION };
  return { type: 'object', properties, required, additionalProperties: false };
}

/** @throws InvalidError for an invalid cursor */
export function requestOf(operation: ApiOperation, given: Arguments): ToolRequest {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given[name] as string),
  );
  const query = new URLSearchParams();
  for (const { name, in: place } of operation.parameters) {
    if (place !== 'query' || isLeftOut(operation, name) || given[name] === undefined) continue;
    for (const value of [given[name]].flat() as Scalar[]) query.append(name, String(value));
  }
  const { limit = PAGE_ITEMS } = given as { readonly limit?: number };
  if (operation.isList) query.set('limit', String(limit));
  if (given.cursor !== undefined)
    for (const [name, value] of placeOf(given.cursor as string)) query.set(name, value);
  const body = Object.fromEntries(Object.entries(given).filter(([name]) => operation.fields.has(name)));
  const key = given.idempotency_key;
  return {
    method: operation.method,
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    headers: typeof key === 'string' && keyOf(operation) ? { [KEY_HEADER]: key } : {},
    ...(operation.takesBody && { body }),
  };
}

/** The cursor with which a list is read on, from the API's `Link`; null: nothing follows. */
export function cursorOf(link: string | undefined): string | null {
  const target = /^<([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
  if (target === undefined) return null;
  const { searchParams } = new URL(target, 'http://localhost');
  const place = [...searchParams].filter(([name]) => PAGING.includes(name));
  return place.length === 0 ? null : new URLSearchParams(place).toString();
}

function placeOf(cursor: string): readonly (readonly [string, string])[] {
  const place = [...new URLSearchParams(cursor)];
  if (place.length === 0 || place.some(([name, value]) => !PAGING.includes(name) || value === ''))
    throw InvalidError.of('cursor', 'wrong_format', 'cursor must be the next_cursor of a previous result');
  return place;
}

/** In a list, `cursor` takes the place of the parameters by which the API reads it onwards. */
function isLeftOut({ isList }: ApiOperation, name: string): boolean {
  return LEFT_OUT.includes(name) || (isList && PAGING.includes(name));
}

function keyOf({ parameters }: ApiOperation) {
  return parameters.find(({ name }) => name === KEY_HEADER);
}
