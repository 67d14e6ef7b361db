const count = { type: 'integer', minimum: 0 } as const;

/** Components of the OpenAPI document. */
export const RATE_LIMIT_HEADER_COMPONENTS = {
  RateLimitLimit: {
    description: 'How many requests a minute are allowed, by the limit that is nearest.',
    schema: count,
  },
  RateLimitRemaining: { description: 'How many are left.', schema: count },
  RateLimitReset: { description: 'Seconds until the count starts anew.', schema: count },
};

/** For the response decorators of routes that are `@RateLimited()`; the document says the same of their refusals. */
export const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
};
