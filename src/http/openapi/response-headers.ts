import { RATE_LIMIT_HEADER_COMPONENTS } from '../rate-limit/rate-limit-headers.js';
import type { Operation } from './operation.js';

/** The headers that operations answer with, as components of the document. */
export const RESPONSE_HEADERS = {
  RequestId: {
    description: 'Names this request, in the logs too.',
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
    description: 'The reply to an earlier request with the same key.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
  NextPage: {
    description: '`<...>; rel="next"` while more items may follow.',
    schema: { type: 'string' as const },
  },
  TotalCount: {
    description: 'How many items match, when `include_total=true`.',
    schema: { type: 'integer' as const },
  },
  Unbuffered: {
    description: 'Asks proxies to pass each event on at once.',
    schema: { type: 'string' as const, enum: ['no'] },
  },
  ...RATE_LIMIT_HEADER_COMPONENTS,
};

export const responseHeader = (name: keyof typeof RESPONSE_HEADERS) => ({
  $ref: `#/components/headers/${name}`,
});

/** The headers of an error response, whatever the operation. */
export function errorHeaders(status: string): Record<string, object> {
  return {
    'X-Request-Id': responseHeader('RequestId'),
    ...(status === '401' ? { 'WWW-Authenticate': responseHeader('BearerChallenge') } : {}),
    ...(status === '429' || status === '503' ? { 'Retry-After': responseHeader('RetryAfter') } : {}),
  };
}

/** Says of an operation that takes an `Idempotency-Key` that its success may be that of an earlier request. */
export function addReplayHeader(operation: Operation): void {
  const isKeyed = (operation.parameters ?? []).some(
    (parameter) => 'name' in parameter && parameter.name === 'Idempotency-Key',
  );
  if (!isKeyed) return;
  for (const [status, response] of Object.entries(
    operation.responses as Record<string, { headers?: object }>,
  )) {
    if (!status.startsWith('2')) continue;
    response.headers = { 'Idempotency-Replayed': responseHeader('IdempotencyReplayed'), ...response.headers };
  }
}
