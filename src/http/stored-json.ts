import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { isWrittenWithin } from '../database/written-json.js';
import { AnyJson } from './any-json.js';

/** Declares a property that may be any JSON value, and is stored as `jsonb`. Its bound is that of the form in which it is read again. */
export const StoredJson = ({ maximumBytes }: { readonly maximumBytes: number }) =>
  applyDecorators(
    AnyJson(),
    ValidateBy({
      name: 'maxBytes',
      validator: {
        validate: (value) => value === undefined || isWrittenWithin(JSON.stringify(value), maximumBytes),
        defaultMessage: (rule) =>
          `${rule?.property} must be at most ${maximumBytes} bytes as JSON, with all digits of its numbers`,
      },
    }),
  );
