const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const END_OF_ARRAY = 0x5d;
const END_OF_OBJECT = 0x7d;

/** No text becomes longer by more: `1e308` has five characters, and then 309 digits and a separator. */
const LARGEST_FACTOR = 64;

/** Returns true if PostgreSQL writes the document in so many bytes at most. @param json as of {@link writtenBytes} */
export function isWrittenWithin(json: string, maximumBytes: number): boolean {
  if (Buffer.byteLength(json) * LARGEST_FACTOR <= maximumBytes) return true;
  return writtenBytes(json, maximumBytes) <= maximumBytes;
}

/**
 * The bytes of a document as PostgreSQL writes a `jsonb`: numbers without an exponent, a blank after each comma and colon. What is
 * stored is bounded by this form, because it is what PostgreSQL sends for each read: 840 KB of `1e308` are 43 MB. A key that comes
 * twice counts twice.
 *
 * @param json as `JSON.stringify` writes it, without white space between its parts
 * @param enough the count ends where it exceeds this number
 */
export function writtenBytes(json: string, enough = Infinity): number {
  let bytes = Buffer.byteLength(json);
  for (let at = 0; at < json.length && bytes <= enough; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfText(json, at);
    else if (code === COMMA || code === COLON) bytes++;
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(json, at);
      bytes += growthOf(json.slice(at, end));
      at = end - 1;
    }
  }
  return bytes;
}

/** @returns the place of the quote that ends the text */
export function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** @returns the place after the last character of the number */
export function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && !endsNumber(json.charCodeAt(at))) at++;
  return at;
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

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function endsNumber(code: number): boolean {
  return code <= SPACE || code === COMMA || code === END_OF_ARRAY || code === END_OF_OBJECT;
}
