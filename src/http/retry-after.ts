const LEAST_SECONDS = 1;
const MOST_SECONDS = 5;

/** When somebody who was turned away may come again: whole seconds, by lot, or all would come at once. */
export function retryAfterSeconds(): number {
  return LEAST_SECONDS + Math.floor(Math.random() * (MOST_SECONDS - LEAST_SECONDS + 1));
}
