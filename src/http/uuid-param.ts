import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { InvalidError } from '../errors/domain-error.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns true if PostgreSQL accepts the text as a `uuid`, of any version. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** A path parameter that is a UUID of any version, so that an unknown one is a 404; a malformed one is a 422. */
export const UuidParam = (name: string) =>
  PathParam(name, { type: 'string', format: 'uuid' }, (text) => {
    if (isUuid(text)) return text.toLowerCase();
    throw InvalidError.of(name, 'wrong_format', `${name} must be a UUID`);
  });

/**
 * A path parameter, checked and documented.
 *
 * @param schema of the document
 * @param read parses the text of the path, or throws InvalidError
 */
export function PathParam(
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
