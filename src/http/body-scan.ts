import { BadRequestException } from '@nestjs/common';
import { InvalidError } from '../errors/domain-error.js';
import { MAXIMUM_DEPTH, MAXIMUM_ELEMENTS, MAXIMUM_KEYS, MAXIMUM_VALUES } from '../budget/request-limits.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit only. */
const CURLY = 0x20;
const OPENING = 0x5b | CURLY;
const CLOSING = 0x5d | CURLY;

/**
 * The number of commas so far in the array or object of each level of nesting. Reused, because a scan is synchronous.
 */
const commas = new Uint32Array(MAXIMUM_DEPTH + 1);
const isObject = new Uint8Array(MAXIMUM_DEPTH + 1);

/**
 * Reads the bytes of a JSON body once, before any value is built from them or code recurses over them. It refuses a body that is
 * nested too deeply, or has too many keys, elements or values, so that later code, also in libraries, can rely on these limits.
 *
 * Brackets and commas in strings don't count. Text that is not JSON may be refused.
 *
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
      if (byte === BACKSLASH) at++;
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
