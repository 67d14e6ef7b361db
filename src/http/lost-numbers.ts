import { partsOf } from '../database/written-json.js';
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
/** Digits that a number keeps whatever they are, from its least normal value on. */
const EXACT_DIGITS = 15;
const LEAST_EXACT = 2.2250738585072014e-308;
/** A digit before the exponent that is not zero. */
const NOT_ZERO = /^[^eE]*[1-9]/;
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
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
      ? rawJSON(context.source)
      : value,
  );
}

/**
 * Finds a number like 1234567890123456789 or 1e400 in the documents that a body holds. Those that are a field of the body itself are
 * measurements and counts: they have rules of their own, and may lose digits.
 *
 * The text is read by itself, because a reviver of `JSON.parse` makes an object of each number: 150,000 took 100 ms, and 17 here.
 *
 * @param json a valid document
 */
export function findLostNumber(json: string): LostNumber | undefined {
  /** The latest key of each object around the place that is reached, in quotes, and the place in each list. */
  const path: (string | number)[] = [];
  for (const { 0: part, 1: text, 2: colon, index } of partsOf(json)) {
    const inner = path.length - 1;
    if (colon) path[inner] = json.slice(index, index + text!.length);
    else if (part === '{') path.push('""');
    else if (part === '[') path.push(0);
    else if (part === '}' || part === ']') path.pop();
    else if (part === ',') path[inner] = typeof path[inner] === 'number' ? path[inner] + 1 : '""';
    else if (!text && inner > 0 && !isKept(part)) return { path: named(path), number: part };
  }
  return undefined;
}

function named(path: readonly (string | number)[]): string {
  return path.map((step) => JSON.parse(String(step)) as string | number).join('.');
}

/** The text of a primitive value. */
export interface Source {
  readonly source?: string;
}

function isKept(written: string): boolean {
  const value = Number(written);
  const size = Math.abs(value);
  if (written.length <= EXACT_DIGITS && size >= LEAST_EXACT && size <= Number.MAX_VALUE) return true;
  if (value === 0) return !NOT_ZERO.test(written);
  // Most others are written as JavaScript writes them, and that comparison costs little.
  if (written === String(value)) return true;
  return canonical(written) === canonical(String(value));
}

/** The same text for the same number: `1.50e3` and `1500`. */
function canonical(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const end = endWithoutZeros(digits);
  return `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** Not by a pattern: for many zeros that are not at the end its time would be quadratic. */
function endWithoutZeros(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  return end;
}
