const ESCAPE = /\\./g;
const PART = /("[^"]*")(\s*:)?|[{}[\],]|-?\d[\d.eE+-]*/g;

/**
 * The parts of a JSON document with their places: texts in their quotes, as the first group, each key with its colon, the second one;
 * brackets, commas and numbers. Escapes within texts are blanked out first, because for millions of them a pattern's stack is too small.
 */
export function partsOf(json: string): RegExpStringIterator<RegExpExecArray> {
  return json.replace(ESCAPE, '--').matchAll(PART);
}

/** No text becomes longer by more: `1e308` has five characters, and then 309 digits and a separator. */
const LARGEST_FACTOR = 64;

/** Returns true if PostgreSQL writes the document in so many bytes at most. @param json as of {@link writtenBytes} */
export function isWrittenWithin(json: string, maximumBytes: number): boolean {
  if (Buffer.byteLength(json) * LARGEST_FACTOR <= maximumBytes) return true;
  return writtenBytes(json) <= maximumBytes;
}

/**
 * The bytes of a document as PostgreSQL writes a `jsonb`: numbers without an exponent, a blank after each comma and colon. What is
 * stored is bounded by this form, because it is what PostgreSQL sends for each read: 840 KB of `1e308` are 43 MB. A key that comes
 * twice counts twice.
 *
 * @param json as `JSON.stringify` writes it, without white space between its parts
 */
export function writtenBytes(json: string): number {
  let bytes = Buffer.byteLength(json);
  for (const [part, text, colon] of partsOf(json)) {
    if (colon || part === ',') bytes++;
    else if (!text) bytes += growthOf(part);
  }
  return bytes;
}

/** By how many digits a number becomes longer without its exponent. */
function growthOf(number: string): number {
  if (!number.includes('e')) return 0;
  const [mantissa = '', exponent] = number.split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const point = whole.length + Number(exponent);
  const digits = whole.length + fraction.length;
  const sign = mantissa.startsWith('-') ? 1 : 0;
  // `0.`, the zeros after it, and the digits; or the digits, and the zeros after them.
  const written = point <= 0 ? 2 - point + digits : Math.max(point, digits + 1);
  return sign + written - number.length;
}
