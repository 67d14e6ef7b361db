/** The outcome of an action on many, for one of them. */
export interface BulkOutcome {
  readonly isRefused: boolean;
  /** The result, or the reason of the refusal. */
  readonly text: string;
}

const DONE = 'done';

/** @param done a text about the result; anything else: it needs no text */
export const doneOutcome = (done: unknown): BulkOutcome => ({
  isRefused: false,
  text: typeof done === 'string' ? done : DONE,
});

export const refusedOutcome = (error: unknown): BulkOutcome => ({
  isRefused: true,
  text: error instanceof Error ? error.message : String(error),
});

/** The number of items by outcome: `5 of 6 done (2 rolling, 3 started), 1 refused`. */
export function progressText(outcomes: readonly BulkOutcome[], count: number): string {
  const done = outcomes.filter(({ isRefused }) => !isRefused);
  const refused = outcomes.length - done.length;
  const texts = [...new Set(done.map(({ text }) => text))].filter((text) => text !== DONE).sort();
  const counts = texts.map((text) => `${done.filter((one) => one.text === text).length} ${text}`);
  const details = counts.length > 0 ? ` (${counts.join(', ')})` : '';
  return `${done.length} of ${count} done${details}${refused > 0 ? `, ${refused} refused` : ''}`;
}
