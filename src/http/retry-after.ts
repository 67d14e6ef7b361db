const [LEAST_SECONDS, MOST_SECONDS] = [1, 5] as const;

/** `Retry-After` in whole seconds, randomised, so that clients don't return at the same moment. */
export function retryAfterSeconds(): number {
  return LEAST_SECONDS + Math.floor(Math.random() * (MOST_SECONDS - LEAST_SECONDS + 1));
}
