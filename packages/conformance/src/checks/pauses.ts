/** Milliseconds: the ceiling of the first pause of a series, as low as the protocol has it. */
export const FIRST_CEILING_MS = 500;
/** Pauses of a correct agent are as short as this by chance; of a series there are some dozens to look at. */
const MOST_CHANCE = 1e-7;
/** Fewer pauses prove nothing: two calls of a kind may have been on their way at once. */
const FEWEST = 3;
/** Pauses in a row that are alike, as a constant and its delays are; growing ones with jitter are so once in 100,000. */
const ALIKE = { count: 5, factor: 1.15 };

/**
 * Returns true if pauses do not grow as they should. A pause with full jitter is anything up to a ceiling that doubles, so a
 * single one may be short; the longest of several is hardly ever: its chance is the product of the chances of each. A
 * machine that is slow makes pauses longer, which accuses nobody. Pure.
 *
 * @param pausesMs in their order, from the first failure of the series on
 * @param longestCeilingMs the ceiling of all later pauses
 */
export function areTooShort(pausesMs: readonly number[], longestCeilingMs: number): boolean {
  // one long pause, which the machine may have made, hides nothing of those before and after it
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
 * How probable it is that none of these pauses is longer than the longest of them.
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
