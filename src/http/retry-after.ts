const LEAST_SECONDS = 1;
const MOST_SECONDS = 5;

/** `Retry-After` in whole seconds, randomised, so that clients don't return at the same moment. */
export function retryAfterSeconds(): number {
  return LEAST_SECONDS + Math.floor(Math.random() * (MOST_SECONDS - LEAST_SECONDS + 1));
}
