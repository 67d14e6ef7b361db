/** The ceiling of the first pause of a series, the lowest one in the protocol; milliseconds. */
export const FIRST_CEILING_MS = 500;
/** Probability below which the pauses of a correct agent can't be this short by chance; a run has dozens of series. */
const MOST_CHANCE = 1e-7;
/** Minimum number of pauses: fewer prove nothing, because two calls of a kind may have been on their way at once. */
const FEWEST = 3;
/**
 * Number of similar pauses in a row, and their maximum ratio, that count as constant; growing ones with jitter look so
 * once in 100,000.
 */
const ALIKE = { count: 5, factor: 1.15 };

/**
 * Returns true if pauses do not grow as they should. A pause with full jitter is a random time up to a ceiling that
 * doubles, so a single one may be short; the longest of several hardly ever is: its probability is the product of
 * theirs. A slow machine makes pauses longer, which causes no false accusation. Pure.
 *
 * @param pausesMs in their order, from the first failure of the series on
 * @param longestCeilingMs the ceiling of all later pauses
 */
export function areTooShort(pausesMs: readonly number[], longestCeilingMs: number): boolean {
  // one long pause, possibly caused by the machine, must not hide those before and after it
  return pausesMs.some((_, first) =>
    pausesMs.some(
      (__, last) =>
        last - first + 1 >= FEWEST &&
        chanceOf(pausesMs.slice(first, last + 1), first, longestCeilingMs) < MOST_CHANCE,
    ),
  );
}

/** Returns true if pauses are constant, however long. Pure. */
export function areConstant(pausesMs: readonly number[]): boolean {
  return pausesMs.some((_, at) => {
    const some = pausesMs.slice(at, at + ALIKE.count);
    return some.length === ALIKE.count && Math.max(...some) < Math.min(...some) * ALIKE.factor;
  });
}

/**
 * The probability that none of these pauses is longer than their maximum.
 *
 * @param failures before the first of them
 */
function chanceOf(pausesMs: readonly number[], failures: number, longestCeilingMs: number): number {
  const longest = Math.max(...pausesMs);
  return pausesMs.reduce((chance, _, index) => {
    const ceiling = Math.min(longestCeilingMs, FIRST_CEILING_MS * 2 ** (failures + index));
    return chance * Math.min(1, longest / ceiling);
  }, 1);
}
