/** Stands at both ends of a number that is kept as a text; it is no character that anybody writes. */
const MARK = '\u{10FFFD}';
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const MAY_BE_LARGE = /\d{16}|\d[eE]/;
const MARKED = new RegExp(`"${MARK}([^"]*)${MARK}"`, 'gu');

/**
 * Parses JSON in which numbers are to stay as they were written: JavaScript makes 1234567890123456800 of 1234567890123456789, and
 * null of 1e400. Each is a marked text, which {@link writeKept} writes as the number again.
 */
export function parseKept(json: string): unknown {
  // The text is parsed before it is marked: `[1 2]` would otherwise fail with a message about marks, and `01` become valid.
  JSON.parse(json);
  return JSON.parse(
    json.replace(TEXT_OR_NUMBER, (part) => (part.startsWith('"') ? part : `"${MARK}${part}${MARK}"`)),
  );
}

/**
 * Parses JSON in which whole numbers beyond 2^53 and numbers too large for JavaScript become the texts that were written: an id keeps
 * its digits so.
 */
export function parseLargeNumbersAsText(json: string): unknown {
  const parsed: unknown = JSON.parse(json);
  if (!MAY_BE_LARGE.test(json)) return parsed;
  return JSON.parse(
    json.replace(TEXT_OR_NUMBER, (part) => (part.startsWith('"') || !isLarge(part) ? part : `"${part}"`)),
  );
}

/** Returns true if a JSON document has a number that {@link parseLargeNumbersAsText} keeps as a text: `JSON.parse` gives another one. */
export function losesDigits(json: string): boolean {
  return JSON.stringify(JSON.parse(json)) !== JSON.stringify(parseLargeNumbersAsText(json));
}

function isLarge(number: string): boolean {
  const value = Number(number);
  return /^-?\d+$/.test(number) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
}

/** @param indent blanks for each level; absent: all is on one line */
export function writeKept(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(MARKED, '$1');
}

/** Puts one value of a JSON document on a line. Its numbers stay as they were written. @throws SyntaxError */
export function indentedJson(json: string): string {
  return writeKept(parseKept(json), 2);
}
