import { isRecord } from './json-record.js';

/** A number of a body that JavaScript can't keep, as it was written, and the path to it. */
export interface LostNumber {
  readonly path: string;
  readonly number: string;
}

/**
 * Numbers that JavaScript may not keep, or not as they were written: it keeps fifteen digits whatever they are. Digits in texts are
 * found, too, which costs time alone.
 */
const SUSPECT = /[\d.]{16}|\d[eE][+-]?\d|\.\d*0(?!\d)|-0(?!\d)|0\.0{6}/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Makes a value that `JSON.stringify` writes as this text. Node has it; TypeScript's libraries do not know it yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (json: string) => unknown };

/** The texts of bodies that may hold such a number. */
const texts = new WeakMap<object, string>();

/** Keeps the text of a parsed body, if {@link lostNumberOf} or {@link jsonAsWritten} may need it. */
export function keepText(body: unknown, json: string): void {
  if (isRecord(body) && SUSPECT.test(json)) texts.set(body, json);
}

/** Finds a number that the parsed body holds otherwise than it was written; see {@link findLostNumber}. */
export function lostNumberOf(body: object): LostNumber | undefined {
  const json = texts.get(body);
  return json === undefined ? undefined : findLostNumber(json);
}

/** A property of a parsed body as JSON, with its numbers as they were written: `1.10` stays `1.10`. */
export function jsonAsWritten(body: Readonly<Record<string, unknown>>, name: string): string {
  const json = texts.get(body);
  if (json === undefined) return JSON.stringify(body[name]);
  return JSON.stringify((parsedAsWritten(json) as Record<string, unknown>)[name]);
}

/** Parses a document so that `JSON.stringify` writes its numbers as they were written. */
export function parsedAsWritten(json: string): unknown {
  if (!SUSPECT.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_key, value: unknown, context?: Source) =>
    typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value,
  );
}

/**
 * Finds a number like 1234567890123456789 or 1e400 in the documents that a body holds. Those that are a field of the body itself are
 * measurements and counts: they have rules of their own, and may lose digits.
 *
 * @param json a valid document
 */
export function findLostNumber(json: string): LostNumber | undefined {
  const lost: { readonly holder: unknown; readonly key: string; readonly number: string }[] = [];
  const body: unknown = JSON.parse(json, function (this: unknown, key, value: unknown, context?: Source) {
    const number = context?.source;
    if (typeof value === 'number' && number !== undefined && !isKept(number, value))
      lost.push({ holder: this, key, number });
    return value;
  });
  const first = lost.find(({ holder }) => holder !== body);
  if (!first) return undefined;
  return { path: [...(pathTo(body, first.holder) ?? []), first.key].join('.'), number: first.number };
}

/** The text of a primitive value. */
export interface Source {
  readonly source?: string;
}

/** @returns undefined where the holder is no part of the value */
function pathTo(value: unknown, holder: unknown): string[] | undefined {
  if (value === holder) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const path = pathTo(part, holder);
    if (path) return [key, ...path];
  }
  return undefined;
}

function isKept(written: string, value: number): boolean {
  return canonical(written) === canonical(String(value));
}

/** The same text for the same number: `1.50e3` and `1500`. */
function canonical(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  const digits = withoutZerosBefore(whole + fraction);
  const end = endWithoutZeros(digits);
  if (end === 0) return '0';
  return `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

function withoutZerosBefore(digits: string): string {
  return digits.replace(/^0+/, '');
}

/** Not by a pattern: for many zeros that are not at the end its time would be quadratic. */
function endWithoutZeros(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return end;
}
