import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { ApiImpliedErrors } from '../openapi/api-errors.js';
import { ApiIdempotencyKey } from './api-idempotency-key.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

/** The route honours `Idempotency-Key`: a repeated request gets the first one's reply and has no second effect. */
export const Idempotent = () =>
  applyDecorators(
    UseInterceptors(IdempotencyInterceptor),
    ApiIdempotencyKey(
      'The same key and body replay the first response with `Idempotency-Replayed: true`; the same key with ' +
        'another body or on another route is a 422; the same key while the first request still runs is a 409.',
    ),
    ApiImpliedErrors({ 409: 'A request with this `Idempotency-Key` is still running.' }),
  );
