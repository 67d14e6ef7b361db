import { distance } from 'fastest-levenshtein';

/** Names of up to so many characters count as misspelled when they are one letter off, longer ones when two. */
const SHORT_NAME = 4;

/** The name of which another one is a misspelling; null where it resembles none. */
export function nearestName(misspelled: string, names: readonly string[]): string | null {
  const given = misspelled.toLowerCase();
  // One or two letters are near to too much.
  if (given.length < 3) return null;
  const allowed = given.length > SHORT_NAME ? 2 : 1;
  const near = names
    // A much longer name is never near, and the distance takes time in proportion to its length.
    .filter((known) => Math.abs(known.length - given.length) <= allowed)
    .map((known) => ({ known, letters: lettersOff(given, known) }))
    .filter(({ letters }) => letters <= allowed)
    .sort((one, other) => one.letters - other.letters);
  return near[0]?.known ?? null;
}

/** Two neighbours in the wrong order, the commonest slip, count as one letter; the library counts them as two. */
function lettersOff(given: string, known: string): number {
  const swapped = Array.from(
    { length: given.length - 1 },
    (_, at) => given.slice(0, at) + given[at + 1] + given[at] + given.slice(at + 2),
  );
  return Math.min(distance(given, known), ...swapped.map((text) => 1 + distance(text, known)));
}
