import { MARKED_RATE_LIMITED } from '../access/rate-limited.js';
import type { Operation } from '../http/openapi/operation.js';

const count = { type: 'integer', minimum: 0 } as const;

/** The response headers of operations, as components of the document. */
export const RESPONSE_HEADERS = {
  RetryAfter: {
    description: 'Seconds to wait before the next try.',
    required: true,
    schema: count,
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
    description: '`<...>; rel="next"` if more items may follow.',
    schema: { type: 'string' as const },
  },
  TotalCount: {
    description: 'Number of matching items, if `include_total=true`.',
    schema: { type: 'integer' as const, format: 'int64' },
  },
  RateLimitLimit: {
    description:
      'Allowed requests per minute, of the limit that is closest to being reached. Also in refusals.',
    schema: count,
  },
  RateLimitRemaining: { description: 'Remaining requests.', schema: count },
  RateLimitReset: { description: 'Seconds until the count restarts.', schema: count },
} satisfies Record<string, object>;

/** A reference to a response header's component. */
const responseHeader = (name: keyof typeof RESPONSE_HEADERS) => ({ $ref: `#/components/headers/${name}` });

const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': responseHeader('RateLimitLimit'),
  'RateLimit-Remaining': responseHeader('RateLimitRemaining'),
  'RateLimit-Reset': responseHeader('RateLimitReset'),
};

/** The headers of an error response, for all operations. */
export function errorHeaders(status: string): { headers?: Record<string, object> } {
  if (status === '401') return { headers: { 'WWW-Authenticate': responseHeader('BearerChallenge') } };
  if (status === '429' || status === '503')
    return { headers: { 'Retry-After': responseHeader('RetryAfter') } };
  return {};
}

/**
 * Adds the headers of an operation's successes that follow from its decorators: one that takes an `Idempotency-Key` may answer as to an
 * earlier request, and one that is `@RateLimited()` says how many requests are left, as all of its replies but 413 and 415 do.
 */
export function addImpliedHeaders(operation: Operation & { [MARKED_RATE_LIMITED]?: true }): void {
  const isKeyed = (operation.parameters ?? []).some(
    (parameter) => 'name' in parameter && parameter.name === 'Idempotency-Key',
  );
  const implied = {
    ...(isKeyed && { 'Idempotency-Replayed': responseHeader('IdempotencyReplayed') }),
    ...(operation[MARKED_RATE_LIMITED] && RATE_LIMIT_HEADERS),
  };
  delete operation[MARKED_RATE_LIMITED];
  if (Object.keys(implied).length === 0) return;
  const responses = Object.entries(operation.responses as Record<string, { headers?: object }>);
  for (const [status, response] of responses)
    if (status.startsWith('2')) response.headers = { ...implied, ...response.headers };
}
