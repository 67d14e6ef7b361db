import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

/** The route honours `Idempotency-Key`: a repeated request gets the first one's reply and has no second effect. */
export const Idempotent = () =>
  applyDecorators(
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Up to 255 printable characters, kept for 24 hours for each caller. The same key and body replay the ' +
        'first response with `Idempotency-Replayed: true`; the same key with another body or on another route is ' +
        'a 422; the same key while the first request still runs is a 409. A refused request keeps nothing.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    }),
  );
