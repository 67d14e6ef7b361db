import { RATE_LIMIT_HEADER_COMPONENTS, RATE_LIMIT_HEADERS } from '../rate-limit/rate-limit-headers.js';
import type { Operation } from './error-responses.js';

/** The headers that any operation may answer with, as components of the document. */
export const RESPONSE_HEADERS = {
  RequestId: {
    description: 'Identifies this request, in the logs too.',
    required: true,
    schema: { type: 'string' as const },
  },
  RetryAfter: {
    description: 'Seconds after which to try again.',
    required: true,
    schema: { type: 'integer' as const, minimum: 0 },
  },
  BearerChallenge: {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string' as const, enum: ['Bearer'] },
  },
  IdempotencyReplayed: {
    description: 'This is the reply to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
  ...RATE_LIMIT_HEADER_COMPONENTS,
};

const to = (name: keyof typeof RESPONSE_HEADERS) => ({ $ref: `#/components/headers/${name}` });

/** Names in each response the headers that its status, and what its operation stands under, bring along. */
export function addResponseHeaders(operation: Operation): void {
  const responses = Object.entries(operation.responses as Record<string, { headers?: object }>);
  const isLimited = responses.some(([, { headers }]) => headers && 'RateLimit-Limit' in headers);
  const isKeyed = (operation.parameters ?? []).some(
    (parameter) => 'name' in parameter && parameter.name === 'Idempotency-Key',
  );
  for (const [status, response] of responses) {
    response.headers = {
      'X-Request-Id': to('RequestId'),
      ...(status === '401' ? { 'WWW-Authenticate': to('BearerChallenge') } : {}),
      ...(status === '429' || status === '503' ? { 'Retry-After': to('RetryAfter') } : {}),
      ...(isKeyed && status.startsWith('2') ? { 'Idempotency-Replayed': to('IdempotencyReplayed') } : {}),
      ...(isLimited ? RATE_LIMIT_HEADERS : {}),
      ...response.headers,
    };
  }
}
