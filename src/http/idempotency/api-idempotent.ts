import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { ApiImpliedErrors } from '../openapi/api-errors.js';

/** @param promise the meaning of the key for this route, in addition to the common one */
export const ApiIdempotencyKey = (promise: string) =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: `Kept for 24 hours for each caller; a refused request keeps nothing. ${promise}`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  });

/** Documents a route whose handler runs its work through `IdempotentRequests`. */
export const ApiIdempotent = () =>
  applyDecorators(
    ApiIdempotencyKey(
      'The same key and body replay the first response with `Idempotency-Replayed: true`; the same key with ' +
        'another body or on another route is a 422; the same key while the first request still runs is a 409.',
    ),
    ApiImpliedErrors(409),
  );
