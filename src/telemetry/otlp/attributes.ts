import { writtenBytes } from '../../database/written-json.js';
import { storable } from '../../http/storable-text.js';
import type { AnyValue, InstrumentationScope, KeyValue } from './generated/otlp_pb.js';

/** A number as JSON can express it; a text for NaN, infinity and integers beyond 2^53, which JSON can't express. */
export function jsonNumber(value: number | bigint): number | string {
  const number = Number(value);
  const isExact = typeof value === 'bigint' ? Number.isSafeInteger(number) : Number.isFinite(number);
  return isExact ? number : String(value);
}

/** A value of an attribute or a body as JSON. Bytes become base64. */
export function jsonOf(any: AnyValue | undefined): unknown {
  const content = any?.value;
  switch (content?.case) {
    case 'stringValue':
      return storable(content.value);
    case 'intValue':
    case 'doubleValue':
      return jsonNumber(content.value);
    case 'boolValue':
      return content.value;
    case 'bytesValue':
      return Buffer.from(content.value).toString('base64');
    case 'arrayValue':
      return content.value.values.map(jsonOf);
    case 'kvlistValue':
      return attributesOf(content.value.values);
    default:
      return null;
  }
}

/** Attributes as an object. The last of two attributes with the same key counts, as in JSON. */
export function attributesOf(attributes: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [storable(key), jsonOf(value)]));
}

/** The library that wrote an entry, in the stored form; undefined if the export has none. */
export function scopeOf(scope: InstrumentationScope | undefined): Record<string, unknown> | undefined {
  if (!scope || (scope.name === '' && scope.attributes.length === 0)) return undefined;
  const { name, version, attributes } = scope;
  return {
    name: storable(name),
    ...(version === '' ? {} : { version: storable(version) }),
    ...(attributes.length === 0 ? {} : { attributes: attributesOf(attributes) }),
  };
}

/**
 * Properties of a JSON object as text, without the braces, so that the part that many entries share is written once.
 */
export interface Members {
  readonly text: string;
  /** As PostgreSQL writes them. */
  readonly bytes: number;
}

/** @param object properties that are undefined, or an object without properties, are left out */
export function membersOf(object: Readonly<Record<string, unknown>>): Members {
  const present = Object.entries(object).filter(([, value]) => value !== undefined && !isEmpty(value));
  const text = JSON.stringify(Object.fromEntries(present)).slice(1, -1);
  return { text, bytes: writtenBytes(text) };
}

/** The text of an object with all these members; null if there are none. */
export function objectText(...parts: readonly string[]): string | null {
  const members = parts.filter((part) => part !== '');
  return members.length === 0 ? null : `{${members.join(',')}}`;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
