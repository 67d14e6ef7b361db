import { createHash } from 'node:crypto';
import { configure } from 'safe-stable-stringify';

/** The canonical form of RFC 8785: names in the order of their UTF-16 code units, numbers as ECMAScript writes them, no white space. */
const canonical = configure({ deterministic: true, bigint: false, circularValue: Error });

/** SHA-256 of a JSON value in the canonical form of RFC 8785, in hexadecimal. Pure. */
export function sha256OfJson(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Pure. @param value of `JSON.parse` */
export function canonicalJson(value: unknown): string {
  return canonical(value)!;
}
