import { BadRequestException } from '@nestjs/common';
import { InvalidError } from '../errors/domain-error.js';
import { MAXIMUM_DEPTH, MAXIMUM_ELEMENTS, MAXIMUM_KEYS, MAXIMUM_VALUES } from '../budget/request-limits.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const CURLY = 0x20;
const OPENING = 0x5b | CURLY;
const CLOSING = 0x5d | CURLY;

/** The bytes of `\uXXXX`. */
const ESCAPE_LENGTH = 6;
/** The replacement character U+FFFD as hexadecimal digits. */
const REPLACEMENT = Buffer.from('fffd');

/**
 * The number of commas so far in the array or object of each level of nesting. Reused, because a scan is synchronous.
 */
const commas = new Uint32Array(MAXIMUM_DEPTH + 1);
const isObject = new Uint8Array(MAXIMUM_DEPTH + 1);

/**
 * Reads the bytes of a JSON body once, before any value is built from them or code recurses over them.
 *
 * - It refuses a body that is nested too deeply, or has too many keys, elements or values, so that later code, also in
 *   libraries, can rely on these limits.
 * - It replaces the escapes of NUL and of half a surrogate pair, which PostgreSQL can't store, with that of U+FFFD, as
 *   decoders do with malformed input. JSON can contain these characters only as escapes, and all escapes have the same
 *   length, so the replacement keeps the length.
 *
 * Brackets and commas in strings don't count. Text that is not JSON may be refused or changed anywhere.
 *
 * @param json is changed in place
 * @returns the number of keys and elements, and of the arrays and objects that hold them
 * @throws InvalidError, or for the nesting BadRequestException, naming the limit
 */
export function scanBody(json: Uint8Array): number {
  let depth = 0;
  commas[0] = 0;
  let values = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (inString) {
      if (byte === BACKSLASH) at += json[at + 1] === LETTER_U ? makeStorable(json, at) - 1 : 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) {
      if (++values > MAXIMUM_VALUES) throw tooMuch(`more than ${MAXIMUM_VALUES} values`);
      const count = ++commas[depth]! + 1;
      if (isObject[depth] && count > MAXIMUM_KEYS)
        throw tooMuch(`an object of more than ${MAXIMUM_KEYS} keys`);
      if (count > MAXIMUM_ELEMENTS) throw tooMuch(`an array of more than ${MAXIMUM_ELEMENTS} elements`);
    } else if ((byte | CURLY) === OPENING) {
      if (++values > MAXIMUM_VALUES) throw tooMuch(`more than ${MAXIMUM_VALUES} values`);
      if (++depth > MAXIMUM_DEPTH) {
        throw new BadRequestException(`The body is nested too deeply: at most ${MAXIMUM_DEPTH} levels`);
      }
      commas[depth] = 0;
      isObject[depth] = byte & CURLY;
    } else if ((byte | CURLY) === CLOSING) depth--;
  }
  return values;
}

function tooMuch(what: string): InvalidError {
  return InvalidError.of(null, 'too_long', `The body has ${what}: send less at a time`);
}

/**
 * Replaces one `\uXXXX`, or two that are a surrogate pair, if PostgreSQL can't store the character.
 *
 * @returns the number of bytes read
 */
function makeStorable(json: Uint8Array, at: number): number {
  const unit = codeUnitAt(json, at);
  if (isHighSurrogate(unit) && isLowSurrogate(codeUnitAt(json, at + ESCAPE_LENGTH))) return 2 * ESCAPE_LENGTH;
  if (unit === 0 || isHighSurrogate(unit) || isLowSurrogate(unit)) json.set(REPLACEMENT, at + 2);
  return ESCAPE_LENGTH;
}

/** @returns NaN if there is no complete `\uXXXX` */
function codeUnitAt(json: Uint8Array, at: number): number {
  if (json[at] !== BACKSLASH || json[at + 1] !== LETTER_U) return NaN;
  let unit = 0;
  for (let digit = at + 2; digit < at + ESCAPE_LENGTH; digit++) unit = unit * 16 + hexDigit(json[digit] ?? 0);
  return unit;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : NaN;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
