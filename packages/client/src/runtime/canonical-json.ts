import { createHash } from 'node:crypto';

/** A JSON value that nobody can change any more, and its hash. */
export interface FrozenJson {
  readonly value: unknown;
  /** SHA-256 of its canonical form, in hexadecimal. */
  readonly sha256: string;
}

/**
 * Copies a value as JSON.
 *
 * @throws TypeError if it is no JSON, or JSON would change it: another value would be shown than the one that is run
 */
export function frozenJson(value: unknown): FrozenJson {
  const text = (JSON.stringify(value, sameInJson) as string | undefined) ?? 'null';
  const copy = JSON.parse(text, (_, part: unknown) => Object.freeze(part)) as unknown;
  return { value: copy, sha256: createHash('sha256').update(canonicalJson(copy)).digest('hex') };
}

/**
 * The canonical form of RFC 8785: names in the order of their UTF-16 code units, numbers as ECMAScript writes them, no white space.
 *
 * @param value of `JSON.parse`
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(',')}}`;
}

const PLAIN = new Set(['Object', 'Array']);

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function sameInJson(name: string, part: unknown): unknown {
  if (typeof part === 'number' && !Number.isFinite(part)) throw new TypeError(`JSON has no ${part}`);
  const kind = Object.prototype.toString.call(part).slice('[object '.length, -1);
  // JSON would write one as if there were nothing in it, so its content would be invisible
  if (typeof part === 'function' || typeof part === 'symbol' || (isObject(part) && !PLAIN.has(kind)))
    throw new TypeError(`JSON has no ${kind}`);
  // no database stores one, so it would be shown as another character
  if (!name.isWellFormed() || (typeof part === 'string' && !part.isWellFormed()))
    throw new TypeError('JSON text can not end in half of a surrogate pair');
  return part;
}
