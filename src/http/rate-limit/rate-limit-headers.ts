const count = { type: 'integer', minimum: 0 } as const;

/** For the response decorators of routes that are `@RateLimited()`. */
export const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': {
    description: 'How many requests a minute are allowed, by the limit that is nearest.',
    schema: count,
  },
  'RateLimit-Remaining': { description: 'How many are left.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the count starts anew.', schema: count },
};
