import { closest, distance } from 'fastest-levenshtein';

/** Two letters in the wrong order, the commonest slip, are two that differ. */
const MOST_LETTERS = 2;

/** The name that a mistyped one is nearest to, or begins; undefined if it resembles none. Pure. */
export function nearestName(mistyped: string, names: readonly string[]): string | undefined {
  const given = mistyped.toLowerCase();
  if (given.length < 2) return undefined;
  const begun = names.find((name) => name.startsWith(given));
  if (begun !== undefined || names.length === 0) return begun;
  const near = closest(given, names);
  const letters = distance(given, near);
  return letters <= MOST_LETTERS && letters * 2 <= near.length ? near : undefined;
}

/** ` (did you mean "agents"?)`, or nothing. */
export function didYouMean(mistyped: string, names: readonly string[]): string {
  const near = nearestName(mistyped, names);
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}
