const count = { type: 'integer', minimum: 0 } as const;

/** Header components of the OpenAPI document. */
export const RATE_LIMIT_HEADER_COMPONENTS = {
  RateLimitLimit: {
    description:
      'How many requests a minute are allowed, by the limit that is nearest. The refusals of such a route say so, too.',
    schema: count,
  },
  RateLimitRemaining: { description: 'How many are left.', schema: count },
  RateLimitReset: { description: 'Seconds until the count starts anew.', schema: count },
};

/** For the success of routes that are `@RateLimited()`. Their refusals have the same headers, but for 413 and 415. */
export const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
};
