import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { requestOf } from '../access/http-context.js';
import { InvalidError } from '../errors/domain-error.js';
import { ApiImpliedErrors } from '../http/openapi/api-errors.js';

/** RFC 9110, 13.1.1: entity tags in quotation marks, with commas between them. */
const VERSIONS = /^"\d{1,10}"(?:\s*,\s*"\d{1,10}")*$/;

/**
 * The config versions that `If-Match` names; undefined where any will do.
 *
 * @throws InvalidError where the header names no version
 */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const header = requestOf(context).headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  if (header.length > 255 || !VERSIONS.test(header))
    throw InvalidError.of(
      'If-Match',
      'wrong_format',
      'If-Match must be a config version in quotation marks, such as "3"',
    );
  return Array.from(header.matchAll(/\d+/g), ([version]) => Number(version));
});

/** Documents a route that takes {@link IfMatch}. */
export const ApiIfMatch = () =>
  applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      description:
        'The `config_version` that the change is based on, in quotation marks: `"3"`. If the newest version is ' +
        'another one, the request is refused with a 412.',
      schema: { type: 'string', minLength: 1, maxLength: 255, example: '"3"' },
    }),
    ApiImpliedErrors(412),
  );
