import { applyDecorators } from '@nestjs/common';
import { ApiImpliedErrors } from '../openapi/api-errors.js';
import { ApiIdempotencyKey } from './api-idempotency-key.js';

/** Documents a route whose handler runs its work through `IdempotentRequests`. */
export const ApiIdempotent = () =>
  applyDecorators(
    ApiIdempotencyKey(
      'The same key and body replay the first response with `Idempotency-Replayed: true`; the same key with ' +
        'another body or on another route is a 422; the same key while the first request still runs is a 409.',
    ),
    ApiImpliedErrors(409),
  );
