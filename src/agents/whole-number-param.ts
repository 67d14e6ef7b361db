import { InvalidError } from '../errors/domain-error.js';
import { PathParam } from '../http/uuid-param.js';

/** The largest `integer` of PostgreSQL. */
const MAXIMUM = 2_147_483_647;
const DIGITS = /^[1-9]\d{0,9}$/;

/** A path parameter that is a whole number from 1 to the largest `integer` of PostgreSQL; anything else is a 422. */
export const WholeNumberParam = (name: string) =>
  PathParam(name, { type: 'integer', minimum: 1, maximum: MAXIMUM }, (text) => {
    if (DIGITS.test(text) && Number(text) <= MAXIMUM) return Number(text);
    throw InvalidError.of(name, 'out_of_range', `${name} must be a whole number from 1 to ${MAXIMUM}`);
  });
