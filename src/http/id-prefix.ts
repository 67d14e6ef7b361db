import { MAX, NIL } from 'uuid';
import { documented, Rule } from './request-fields.js';
import { isUuid } from './uuid-param.js';

const LEAST_CHARACTERS = 4;

/** Filter of a list by the beginning of ids. */
export const IdPrefix = () =>
  documented(
    { optional: true, description: 'The first characters of the id.', example: '0192f0c1' },
    { minLength: LEAST_CHARACTERS, maxLength: 36, pattern: '^[0-9a-fA-F-]+$' },
    Rule(
      'idPrefix',
      (value) => typeof value === 'string' && isBeginning(value),
      (name) => `${name} must be the first characters of an id, at least four`,
    ),
  );

function isBeginning(text: string): boolean {
  return text.length >= LEAST_CHARACTERS && isUuid(text + NIL.slice(text.length));
}

/** The first and the last id with this beginning: a range of an index. */
export function idRange(prefix: string): { firstId: string; lastId: string } {
  return { firstId: prefix + NIL.slice(prefix.length), lastId: prefix + MAX.slice(prefix.length) };
}
