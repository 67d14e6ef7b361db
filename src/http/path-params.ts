import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { InvalidError } from '../errors/domain-error.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The largest `integer` of PostgreSQL. */
const MAXIMUM = 2_147_483_647;
const DIGITS = /^[1-9]\d{0,9}$/;

/** Returns true if PostgreSQL accepts the text as a `uuid`, of any version. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** A path parameter that is a UUID of any version, so that an unknown one is a 404; a malformed one is a 422. */
export const UuidParam = (name: string) =>
  PathParam(name, { type: 'string', format: 'uuid' }, (text) => {
    if (isUuid(text)) return text.toLowerCase();
    throw new InvalidError([`${name} must be a UUID`]);
  });

/** A path parameter that is a whole number from 1 to the largest `integer` of PostgreSQL; anything else is a 422. */
export const WholeNumberParam = (name: string) =>
  PathParam(name, { type: 'integer', minimum: 1, maximum: MAXIMUM }, (text) => {
    if (DIGITS.test(text) && Number(text) <= MAXIMUM) return Number(text);
    throw new InvalidError([`${name} must be a whole number from 1 to ${MAXIMUM}`]);
  });

/** @param read makes the value of the text of the path, or throws InvalidError */
function PathParam(
  name: string,
  schema: { readonly type: 'string' | 'integer'; readonly [bound: string]: string | number },
  read: (text: string) => unknown,
): ParameterDecorator {
  return (target, propertyKey, index) => {
    Param(name, { transform: read })(target, propertyKey, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, propertyKey as string) as PropertyDescriptor;
    ApiParam({ name, schema })(target, propertyKey as string, descriptor);
  };
}
