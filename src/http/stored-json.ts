import { applyDecorators } from '@nestjs/common';
import { isWrittenWithin } from '../database/written-json.js';
import { AnyJson } from './any-json.js';
import { Rule } from './request-fields.js';

/** Declares a property that may be any JSON value, and is stored as `jsonb`. Its bound is that of the form in which it is read again. */
export const StoredJson = ({ maximumBytes }: { readonly maximumBytes: number }) =>
  applyDecorators(
    AnyJson(),
    Rule(
      'maxBytes',
      (value) => value === undefined || isWrittenWithin(JSON.stringify(value), maximumBytes),
      (name) => `${name} must be at most ${maximumBytes} bytes as JSON, with all digits of its numbers`,
    ),
  );
